-- A cluster sends `lock table` to every node, so that one dead node would hold up a freeze of the cells that live. The lock is only for
-- fair turns, and whoever pays from a cell comes by the node that holds it: its own turn is enough. PostgreSQL without a cluster keeps
-- the setting as a name that nobody reads.
create or replace function lock_payout_stops() returns void language plpgsql as $$
begin
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  lock table payout_stops in exclusive mode;
end $$;

create or replace function lock_merchants() returns void language plpgsql as $$
begin
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  lock table merchants in exclusive mode;
end $$;
