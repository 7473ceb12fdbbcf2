-- An attempt that ended more than a day after it was made is looked at again from its end on (rails.md 5.1). Ordinary ends leave this
-- null, so that the index has few rows and a payment writes none of them.
alter table rail_attempts add column ended_late_at timestamptz;
create index rail_attempts_ended_late on rail_attempts (installation, ended_late_at)
  where ended_late_at is not null and reviewed_at is null;

-- A correction that the merchant could not cover waits until the money is there (ledger.md 2.1): it does not expire.
alter table approvals add column waits_for_money boolean not null default false;

-- Two operators end a movement of which its operator reports another amount (docs/decisions/0042).
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (kind in ('adjustment', 'unfreeze-merchant', 'accept-breach', 'end-as-told')) not valid;
alter table exceptions drop constraint known_resolution;
alter table exceptions add constraint known_resolution
  check (resolution in ('adjusted', 'refunded_outside', 'operator_corrected', 'no_difference', 'ended_lost', 'ended_as_told')) not valid;
