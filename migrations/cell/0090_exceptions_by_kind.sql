-- What waits for an operator is counted beside the entries of the console, each kind by itself: one kind that is many hides no other.
create index exceptions_open_by_kind on exceptions (kind, opened_at) where closed_at is null;
