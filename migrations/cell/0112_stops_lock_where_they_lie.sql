-- A cluster sends `lock table` to every node, so that one dead node would hold up a freeze of the cells that live, and it locks only the
-- table's name there, not the shard whose row payments lock. Whoever pays from a cell comes by the node that holds it: the shard is locked
-- there, and nothing is sent. PostgreSQL without a cluster keeps the setting as a name that nobody reads.
create function lock_fairly(wanted regclass) returns void language plpgsql as $$
declare
  shard text;
begin
  perform set_config('citus.enable_ddl_propagation', 'off', true);
  execute format('lock table %s in exclusive mode', wanted);
  if to_regclass('pg_catalog.pg_dist_shard') is null then
    return;
  end if;
  for shard in execute 'select shard_name(logicalrelid, shardid) from pg_dist_shard where logicalrelid = $1' using wanted loop
    if to_regclass(shard) is not null then
      execute format('lock table %s in exclusive mode', shard);
    end if;
  end loop;
end $$;

create or replace function lock_payout_stops() returns void language plpgsql as $$
begin
  perform lock_fairly('payout_stops');
end $$;

create or replace function lock_merchants() returns void language plpgsql as $$
begin
  perform lock_fairly('merchants');
end $$;
