import type pg from 'pg'
import { assert } from '../assert.ts'

type NamedDefinition = { name: string; definition: string }
type PrintedTable = { oid: number; name: string; options: string[] | null; unlogged: boolean }
type TableColumn = {
  name: string
  type: string
  notNull: boolean
  identity: string
  byDefault: string | null
}

// The runner's own records of what was applied.
const BOOKKEEPING = ['migrations', 'migration_checksums']

/** A table, or the types and functions before the tables, with the SQL that would make it. */
type SchemaPart = { title: string; sql: string }

/**
 * Prints the parts of the schema from the catalogs, in an order that depends on names alone, so that the same migrations print the same on
 * PostgreSQL 15 to 18. Throws when the schema holds a kind of object that this does not print.
 */
export async function printSchema(client: pg.ClientBase, schema: string): Promise<SchemaPart[]> {
  await client.query('begin read only')
  try {
    // With the schema in the search path the server leaves its name out of definitions.
    await client.query(`select set_config('search_path', $1, true)`, [schema])
    await refuseUnknownObjects(client, schema)
    const tables = await readTables(client, schema)
    const before = [...(await enums(client, schema)), ...(await functions(client, schema))]
    const parts = [{ title: 'Types and functions', sql: before.join('\n') }]
    for (const table of tables) parts.push({ title: table.name, sql: await printTable(client, table) })
    return parts
  } finally {
    await client.query('rollback')
  }
}

async function refuseUnknownObjects(client: pg.ClientBase, schema: string): Promise<void> {
  const rows = await readRows<{ name: string }>(
    client,
    `select relname as name from pg_class where relnamespace = $1::regnamespace and relkind not in ('r', 'i', 'S')
     union all
     select typname from pg_type where typnamespace = $1::regnamespace and typtype in ('d', 'r')
     union all
     select conname from pg_constraint where connamespace = $1::regnamespace and contype not in ('c', 'f', 'n', 'p', 'u')
     union all
     select polname from pg_policy join pg_class on pg_class.oid = polrelid where relnamespace = $1::regnamespace
     union all
     select proname from pg_proc where pronamespace = $1::regnamespace and prokind not in ('f', 'p')
     union all
     select sequence.relname from pg_class sequence
     where sequence.relkind = 'S' and sequence.relnamespace = $1::regnamespace
       and not exists (select 1 from pg_depend where objid = sequence.oid and deptype in ('a', 'i'))`,
    [schema],
  )
  const names = rows.map((row) => row.name).join(', ')
  assert(rows.length === 0, `print-schema.ts does not know how to print ${names} of ${schema}`)
}

async function enums(client: pg.ClientBase, schema: string): Promise<string[]> {
  const rows = await readRows<{ name: string; labels: string }>(
    client,
    `select typname as name, string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) as labels
     from pg_type join pg_enum on enumtypid = pg_type.oid where typnamespace = $1::regnamespace
     group by typname order by typname collate "C"`,
    [schema],
  )
  return rows.map(({ name, labels }) => `create type ${name} as enum (${labels});\n`)
}

async function functions(client: pg.ClientBase, schema: string): Promise<string[]> {
  const rows = await readRows<NamedDefinition>(
    client,
    `select proname as name, pg_get_functiondef(oid) as definition from pg_proc where pronamespace = $1::regnamespace
     order by proname collate "C", pg_get_function_identity_arguments(oid) collate "C"`,
    [schema],
  )
  // The one definition that always names its schema.
  return rows.map(({ definition }) => `${definition.replace(`${schema}.`, '').trim()};\n`)
}

async function readTables(client: pg.ClientBase, schema: string): Promise<PrintedTable[]> {
  return readRows<PrintedTable>(
    client,
    `select oid, relname as name, reloptions as options, relpersistence = 'u' as unlogged from pg_class
     where relnamespace = $1::regnamespace and relkind = 'r' and relname <> all($2) order by relname collate "C"`,
    [schema, BOOKKEEPING],
  )
}

async function printTable(client: pg.ClientBase, table: PrintedTable): Promise<string> {
  const columns = (await readColumns(client, table)).map(columnLine)
  const constraints = (await readConstraints(client, table)).map(
    ({ name, definition }) => `constraint ${name} ${definition}`,
  )
  const lines = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n')
  const options = table.options === null ? '' : ` with (${[...table.options].sort().join(', ')})`
  const after = [...(await readIndexes(client, table)), ...(await readTriggers(client, table))]
  return [
    `create ${table.unlogged ? 'unlogged ' : ''}table ${table.name} (\n${lines}\n)${options};`,
    ...after.map(({ definition }) => `${definition};`),
    '',
  ].join('\n')
}

function readColumns(client: pg.ClientBase, { oid }: PrintedTable): Promise<TableColumn[]> {
  return readRows<TableColumn>(
    client,
    `select quote_ident(attname) as name, format_type(atttypid, atttypmod) as type, attnotnull as "notNull",
       attidentity as identity, case attgenerated when '' then pg_get_expr(adbin, adrelid)
         else '(' || pg_get_expr(adbin, adrelid) || ') stored' end as "byDefault"
     from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
    [oid],
  )
}

function columnLine({ name, type, notNull, identity, byDefault }: TableColumn): string {
  const generated = { a: ' generated always as identity', d: ' generated by default as identity' }[identity]
  const value = byDefault === null ? '' : ` default ${byDefault}`
  return `${name} ${type}${generated ?? ''}${notNull ? ' not null' : ''}${value}`
}

// From version 18 on the server has NOT NULL as named constraints too (contype n); the column's line says it already.
function readConstraints(client: pg.ClientBase, { oid }: PrintedTable): Promise<NamedDefinition[]> {
  return readRows<NamedDefinition>(
    client,
    `select quote_ident(conname) as name, pg_get_constraintdef(oid, true) as definition from pg_constraint
     where conrelid = $1 and contype <> 'n'
     order by array_position(array['p', 'u', 'f', 'c'], contype::text), conname collate "C"`,
    [oid],
  )
}

function readIndexes(client: pg.ClientBase, { oid }: PrintedTable): Promise<NamedDefinition[]> {
  return readRows<NamedDefinition>(
    client,
    `select relname as name, pg_get_indexdef(indexrelid, 0, true) as definition
     from pg_index join pg_class on pg_class.oid = indexrelid
     where indrelid = $1 and not exists (select 1 from pg_constraint where conindid = indexrelid)
     order by relname collate "C"`,
    [oid],
  )
}

function readTriggers(client: pg.ClientBase, { oid }: PrintedTable): Promise<NamedDefinition[]> {
  return readRows<NamedDefinition>(
    client,
    `select tgname as name, pg_get_triggerdef(oid, true) as definition from pg_trigger
     where tgrelid = $1 and not tgisinternal order by tgname collate "C"`,
    [oid],
  )
}

async function readRows<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  sql: string,
  values: unknown[],
): Promise<Row[]> {
  return (await client.query<Row>(sql, values)).rows
}
