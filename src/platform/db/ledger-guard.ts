import { APPLICATION_ROLE } from './application-role.ts'
import { statement } from './statement.ts'
import { APPEND_ONLY_TABLES } from './tables.ts'

/** The service's own connection, so that the checked rights are those of its login and role. */
type GuardDatabase = {
  query: <Row>(read: ReturnType<typeof statement<Row>>, values?: unknown[]) => Promise<Row[]>
}

const LOGIN = statement<{ login: string; role: string; superuser: boolean; roleSuperuser: boolean }>(
  'login of the service',
  `select session_user as login, current_user as role, s.rolsuper as superuser, c.rolsuper as "roleSuperuser"
   from pg_roles s, pg_roles c where s.rolname = session_user and c.rolname = current_user`,
)
const OWNED = statement<{ name: string }>(
  'owned by the login of the service',
  `select n.nspname as name from pg_namespace n where n.nspname = any($1) and pg_has_role(session_user, n.nspowner, 'member')
   union all
   select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any($1) and c.relkind = 'r' and pg_has_role(session_user, c.relowner, 'member')
   order by name limit 1`,
)
const CHANGEABLE = statement<{ name: string }>(
  'append-only tables that can be changed',
  `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = any($1) and c.relname = any($2) and c.relkind = 'r'
     and (has_table_privilege(c.oid, 'update') or has_table_privilege(c.oid, 'delete') or has_table_privilege(c.oid, 'truncate')
       or has_any_column_privilege(c.oid, 'update'))
   order by name`,
)
// Bits of pg_trigger.tgtype: delete 8, update 16, truncate 32. A trigger that is off, or fires on replicas only, guards nothing.
const UNGUARDED = statement<{ name: string }>(
  'append-only tables without their triggers',
  `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     left join pg_trigger t on t.tgrelid = c.oid and t.tgenabled in ('O', 'A')
       and t.tgfoid in (select oid from pg_proc where proname = 'refuse_change')
   where n.nspname = any($1) and c.relname = any($2) and c.relkind = 'r'
   group by 1 having coalesce(bit_or(t.tgtype), 0) & 56 <> 56 order by name`,
)

/**
 * Finds what is missing from the protection of money rows: a login that owns nothing, a role that cannot change what was written, triggers
 * that refuse even the owner. One sentence for each fault; empty when nothing is missing.
 */
export async function findGuardFaults(db: GuardDatabase, schemas: readonly string[]): Promise<string[]> {
  const [login] = await db.query(LOGIN)
  const [owned] = await db.query(OWNED, [schemas])
  const changeable = await db.query(CHANGEABLE, [schemas, APPEND_ONLY_TABLES])
  const unguarded = await db.query(UNGUARDED, [schemas, APPEND_ONLY_TABLES])
  const faults: string[] = []
  if (login?.superuser || login?.roleSuperuser)
    faults.push(
      `the service signs in as the superuser ${login.login}: give DATABASE_URL a login that owns nothing, and MIGRATE_DATABASE_URL the owner of the schema`,
    )
  else if (owned)
    faults.push(
      `the service signs in as ${login?.login}, which owns ${owned.name} and can switch its guard off: give DATABASE_URL a login that owns nothing, and MIGRATE_DATABASE_URL the owner of the schema`,
    )
  if (changeable.length > 0)
    faults.push(
      `the service works as the role ${login?.role}, which can change ${changeable.map(({ name }) => name).join(', ')}: it must work as ${APPLICATION_ROLE}. Make that role once as an administrator (create role ${APPLICATION_ROLE} nologin; grant ${APPLICATION_ROLE} to the owner with admin option), then run "gateway migrate"`,
    )
  if (unguarded.length > 0)
    faults.push(
      `the triggers that keep ${unguarded.map(({ name }) => name).join(', ')} append-only are missing or switched off: enable them (alter table ... enable trigger all)`,
    )
  return faults
}

const SIGNS_IN = statement<{ signsIn: boolean }>(
  'role that nodes sign in as',
  'select rolcanlogin as "signsIn" from pg_roles where rolname = $1',
)

/**
 * Finds what stops the nodes of a cluster from speaking to each other as the role of the service. Payments pass without it; verify, the log of
 * requests and the numbers of events do not.
 */
export async function findNodeRoleFaults(db: GuardDatabase, role: string = APPLICATION_ROLE): Promise<string[]> {
  const [found] = await db.query(SIGNS_IN, [role])
  if (found?.signsIn) return []
  return [
    `the role ${role} may not sign in, and the nodes of the cluster speak to each other as it: give it a password on the coordinator (alter role ${role} login password '...'), and that to ~postgres/.pgpass on each node`,
  ]
}
