import { test } from 'node:test'
import pg from 'pg'
import { notOnCluster } from '../../helpers/service/parts.ts'

/** A connection to the cell of this database, with all rights. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=cell_0 -c timezone=UTC' })
  await client.connect()
  return client
}

/** Runs `work` in a transaction that leaves nothing behind. */
export async function rolledBack(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
  } finally {
    await client.query('rollback')
  }
}

/** Declares tests whose transaction is rolled back, and whose SQL no cluster runs. */
export const onOneServer = (client: () => pg.Client) => (name: string, work: () => Promise<void>) =>
  test(name, notOnCluster('its SQL is for one server'), () => rolledBack(client(), work))

/**
 * Until the rollback: a row that only changes its status breaks checks of other columns, or a partial unique index, which are judged
 * before its trigger.
 */
export const withoutChecks = (client: pg.Client, table: string) =>
  client.query(`do $$ declare name text; begin
    for name in select conname from pg_constraint where conrelid = '${table}'::regclass and contype = 'c' loop
      execute format('alter table ${table} drop constraint %I', name);
    end loop;
    for name in select indexrelid::regclass from pg_index
      where indrelid = '${table}'::regclass and indisunique and indpred is not null loop
      execute format('drop index %s', name);
    end loop; end $$`)
