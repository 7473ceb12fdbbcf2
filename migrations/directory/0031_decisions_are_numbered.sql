-- Which of two approved switches is the newer one is said by a number and not by a clock. A trigger gives it, so that a process of the release
-- before numbers its decisions too. It is the order of commits: the lock is held until then.
alter table approvals add decided_no bigint;
update approvals a set decided_no = n.no from (
  select merchant_id, id, row_number() over (order by decided_at, id) as no from approvals where status = 'approved') n
  where a.merchant_id = n.merchant_id and a.id = n.id;
alter table approvals add constraint approved_has_number check (status <> 'approved' or decided_no is not null);
create unique index approvals_numbered on approvals (decided_no) where decided_no is not null;
create function number_decision() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7310553031);
  execute format('select coalesce(max(decided_no), 0) + 1 from %I.approvals where decided_no is not null', tg_table_schema) into new.decided_no;
  return new;
end $$;
create trigger approvals_number_decision before update of status on approvals for each row
  when (new.status = 'approved' and old.status <> 'approved') execute function number_decision();
