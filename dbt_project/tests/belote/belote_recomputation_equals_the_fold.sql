{{ recomputation_and_fold_differ('belote') }}
