-- A breach of the books that stays, accepted by two operators: verify counts it apart (docs/decisions/0040).
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (kind in ('adjustment', 'unfreeze-merchant', 'accept-breach'));
create index approvals_accepting on approvals (decided_at) where kind = 'accept-breach' and status = 'approved';
