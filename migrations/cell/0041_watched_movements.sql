-- When the operator last answered a question about it: whoever looks at a page brings the next one forward, but not closer than two
-- seconds to this (rails.md 4.2).
alter table rail_attempts add column answered_at timestamptz;
