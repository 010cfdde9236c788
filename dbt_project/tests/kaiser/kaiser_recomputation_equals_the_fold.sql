{{ recomputation_and_fold_differ('kaiser', ['made']) }}
