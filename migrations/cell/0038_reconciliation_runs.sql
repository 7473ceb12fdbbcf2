-- When the hourly legs of reconciliation last began in this cell, so that several workers do not all run them (rails.md 5).
create table reconciliation_runs (
  one boolean primary key default true check (one),
  begun_at timestamptz not null
);
-- The sample of what was looked at a day ago or more, longest ago first (rails.md 5.1, leg 2).
create index rail_attempts_reviewed on rail_attempts (installation, reviewed_at) where reviewed_at is not null;
