{{ recomputation_and_fold_differ('pinochle', ['made']) }}
