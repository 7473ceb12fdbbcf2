import pg from 'pg'
import { sqlState } from './errors.ts'
import { APPEND_ONLY_TABLES } from './tables.ts'

/** The role under which the service works: it may read and add ledger rows, never change or remove them. */
export const APPLICATION_ROLE = 'gateway_app'
// Only migrations write the records of applied migrations.
const READ_ONLY: readonly string[] = ['migrations', 'migration_checksums']
const NOT_CHANGED: readonly string[] = [...APPEND_ONLY_TABLES, ...READ_ONLY]

/** The login of the service. `make`: we may create it (on the embedded server, whose socket folder keeps others out). */
export type ServiceLogin = { user: string; make: boolean }

type Rights = { schemas: readonly string[]; login: ServiceLogin }

/**
 * Creates the role, grants its rights and makes the service's login a member, if the database user may do so: after a migration, and at a
 * start that finds them incomplete, because a crash may have come between. Returns whether it granted something.
 */
export async function grantRights(
  client: pg.Client,
  { schemas, applied, login }: Rights & { applied: boolean },
): Promise<boolean> {
  if (!applied && !(await lacksRights(client, { schemas, login }))) return false
  try {
    if (applied || !(await hasRights(client, schemas))) {
      await createRole(client)
      for (const schema of schemas) await grantSchema(client, schema)
    }
    if (login.make) await createRoleOnce(client, login.user, 'login')
    if (!(await isMember(client, login.user))) await addMember(client, login.user)
    return true
  } catch (error) {
    // If the database user may not create roles, `doctor` reports it and production does not start.
    if (sqlState(error) !== '42501') throw error
    return false
  }
}

/** Whether the role or the login of the service lacks a right that this database user could grant. */
export const canGrantRights = async (client: pg.Client, rights: Rights): Promise<boolean> =>
  (await lacksRights(client, rights)) && (await mayMakeMembers(client))

const lacksRights = async (client: pg.Client, { schemas, login }: Rights): Promise<boolean> =>
  !(await hasRights(client, schemas)) || !(await isMember(client, login.user))

async function mayMakeMembers(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select u.rolsuper or u.rolcreaterole or coalesce(pg_has_role(a.oid, 'member with admin option'), false) as may
     from pg_roles u left join pg_roles a on a.rolname = $1 where u.rolname = current_user`,
    [APPLICATION_ROLE],
  )
  return rows[0]?.may ?? false
}

/** Returns the role if this login can work as it; null where the login is no member, or the role does not exist. */
export async function findUsableRole(client: pg.Client, login: string): Promise<string | null> {
  return (await isMember(client, login)) ? APPLICATION_ROLE : null
}

async function isMember(client: pg.Client, login: string): Promise<boolean> {
  // From PostgreSQL 16 on, the creator of a role is a member but may not work as it until that is granted too.
  const { rows } = await client.query<{ member: boolean }>(
    `select pg_has_role(l.oid, a.oid,
       case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end) as member
     from pg_roles l, pg_roles a where l.rolname = $1 and a.rolname = $2`,
    [login, APPLICATION_ROLE],
  )
  return rows[0]?.member ?? false
}

/** Whether the role may read every table of these schemas and write all but the append-only ones. */
async function hasRights(client: pg.Client, schemas: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ complete: boolean }>(
    `select coalesce(bool_and(has_table_privilege(r.oid, c.oid, 'select')
         and has_table_privilege(r.oid, c.oid, 'update') = (c.relname <> all($3))), false) as complete
     from pg_roles r, pg_class c join pg_namespace n on n.oid = c.relnamespace
     where r.rolname = $1 and n.nspname = any($2) and c.relkind = 'r'`,
    [APPLICATION_ROLE, schemas, NOT_CHANGED],
  )
  return rows[0]?.complete ?? false
}

async function createRole(client: pg.Client): Promise<void> {
  await createRoleOnce(client, APPLICATION_ROLE, 'nologin')
  const { rows } = await client.query<{ name: string }>('select current_user as name')
  const own = rows[0]?.name ?? ''
  if (!(await isMember(client, own))) await addMember(client, own)
}

async function createRoleOnce(client: pg.Client, role: string, how: 'login' | 'nologin'): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (rowCount !== 0) return
  // Roles belong to the whole server: the start of another database may have made it at the same moment.
  await client.query(`create role ${pg.escapeIdentifier(role)} ${how}`).catch((error) => {
    if (!['42710', '23505'].includes(sqlState(error) ?? '')) throw error
  })
}

const addMember = (client: pg.Client, role: string) =>
  client.query(`grant ${APPLICATION_ROLE} to ${pg.escapeIdentifier(role)}`).catch((error) => {
    // Two starts at the same time: the other one has granted it.
    if (!['23505', 'XX000'].includes(sqlState(error) ?? '')) throw error
  })

async function grantSchema(client: pg.Client, schema: string): Promise<void> {
  await client.query(`grant usage on schema ${schema} to ${APPLICATION_ROLE}`)
  await client.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${APPLICATION_ROLE}`)
  await client.query(`grant usage, select on all sequences in schema ${schema} to ${APPLICATION_ROLE}`)
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = $1 and tablename = any($2)',
    [schema, NOT_CHANGED],
  )
  for (const { name } of rows) {
    const revoked = READ_ONLY.includes(name) ? 'insert, update, delete, truncate' : 'update, delete, truncate'
    await client.query(`revoke ${revoked} on ${schema}.${name} from ${APPLICATION_ROLE}`)
  }
}
