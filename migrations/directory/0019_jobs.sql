-- The processes of the service, each under a name of its own, told by themselves every few seconds.
create table processes (
  id           text primary key,
  role         text not null check (role in ('all', 'web', 'worker')),
  started_at   timestamptz not null,
  seen_at      timestamptz not null,
  -- Requests that passed a limiter without being counted, and lines of the log that found no room; and when that last happened.
  uncounted    bigint not null default 0 check (uncounted >= 0),
  uncounted_at timestamptz,
  dropped      bigint not null default 0 check (dropped >= 0),
  dropped_at   timestamptz
);
create index processes_seen on processes (seen_at);

-- How each background task does in each cell: one row, written by whichever worker ran it last.
create table sweep_runs (
  cell          text not null,
  sweep         text not null,
  period_ms     bigint not null check (period_ms > 0),
  first_at      timestamptz not null,
  last_at       timestamptz not null,
  last_ok_at    timestamptz,
  took_ms       integer not null check (took_ms >= 0),
  failures      integer not null default 0 check (failures >= 0),
  last_error    text check (length(last_error) <= 300),
  -- The last run that had something to do.
  handled       bigint,
  handled_at    timestamptz,
  -- The oldest row that is due, where the task has rows with a due time.
  oldest_due_at timestamptz,
  primary key (cell, sweep)
);

-- What somebody wants to be run now. A worker claims it: nothing runs in the request that asked.
create table sweep_requests (
  id         bigint generated always as identity primary key,
  cell       text not null,
  sweep      text not null,
  asked_by   text not null,
  asked_at   timestamptz not null,
  claimed_at timestamptz,
  ended_at   timestamptz,
  handled    bigint,
  error      text check (length(error) <= 300),
  check (ended_at is null or claimed_at is not null)
);
create unique index sweep_requests_open on sweep_requests (cell, sweep) where ended_at is null;
create index sweep_requests_asked on sweep_requests (asked_at);

-- Every run of verify: by a person, or at night.
create table verify_runs (
  id         bigint generated always as identity primary key,
  cell       text not null,
  run_by     text not null check (run_by in ('person', 'night')),
  -- The day of Kampala whose run this is; one a cell.
  night      date,
  begun_at   timestamptz not null,
  ended_at   timestamptz,
  looked     bigint,
  violations bigint,
  -- Of each broken invariant its name, how many rows break it, and the first of them.
  broken     jsonb,
  error      text check (length(error) <= 300),
  check ((ended_at is null) = (violations is null and error is null))
);
create unique index verify_runs_of_night on verify_runs (cell, night) where night is not null;
create unique index verify_runs_one_at_once on verify_runs ((true)) where ended_at is null;
create index verify_runs_of_cell on verify_runs (cell, begun_at);
