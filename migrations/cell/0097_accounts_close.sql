-- An account that closes takes no more money from the moment that somebody asks; it is closed when what was owed has gone. Closed, it comes back
-- as an open one alone, by two operators.
alter table merchants
  add column closing_at timestamptz,
  add column closing_by text check (closing_by in ('owner', 'operator'));
alter table merchants
  add constraint closing_is_inactive check (closing_at is null or not active),
  add constraint closing_by_somebody check ((closing_at is null) = (closing_by is null));
create index merchants_closing on merchants (id) where closing_at is not null;
create function refuse_account_move() returns trigger language plpgsql as $$
begin
  raise exception 'account % is closed: it may only be opened again', old.public_id
    using errcode = 'check_violation', constraint = 'closed_account_stays';
end $$;
create trigger accounts_move_forward before update of closed_at, closing_at on merchants for each row
  when (old.closed_at is not null and (old.closed_at, old.closing_at) is distinct from (new.closed_at, new.closing_at)
    and not (new.closed_at is null and new.closing_at is null))
  execute function refuse_account_move();
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check
  check (kind in ('adjustment', 'unfreeze-merchant', 'accept-breach', 'end-as-told', 'reopen-account')) not valid;
