-- As in a cell: what waits for an operator is counted beside the entries of the console, each kind by itself.
create index exceptions_open_by_kind on platform_exceptions (kind, opened_at) where closed_at is null;
