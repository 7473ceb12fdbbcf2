-- As in a cell, for a breach that belongs to no merchant; and what runs of verify found accepted.
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (kind in ('unfreeze-platform', 'installation', 'accept-breach'));
create index approvals_accepting on approvals (decided_at) where kind = 'accept-breach' and status = 'approved';
alter table verify_runs add column accepted jsonb;
