import { statement } from '../../../platform/db/statement.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { Gateway } from '../../../program/app.ts'
import type { Finding } from '../check.ts'

type ActKind = 'operators_changed' | 'master_key'
type Act = {
  kind: ActKind
  action: string
  actor: string
  at: Date
  /** Whom it is about, by the address that operators are known by. */
  who: string | null
  role: string | null
}

const REPORTED_FOR_MS = 24 * 3_600_000
const MAX_NAMED = 6
// Of what operators do to each other only this wakes a person; what a command or a one-time link does always does.
const ALWAYS_REPORTED = ['operator.role', 'operator.remove']
// The latest of the directory, where acts on operators and keys are written. By the primary key, newest first. What a person has closed stays
// closed: an act does not go on, and an alert that was closed knew of those until its news. Before there were news each act had an alert.
const ACTS = statement<Act>(
  'alert: acts on operators and keys',
  `select k.kind, a.action, a.actor, a.at, coalesce(p.email, l.email, a.before ->> 'email', a.subject) as who, coalesce(a.after ->> 'role', l.operator_role) as role
   from (select id, action, actor, actor_kind, subject, at, before, after from audit order by id desc limit 2000) a
     cross join lateral (select case a.action when 'secrets.rewrap' then 'master_key' else 'operators_changed' end as kind) k
     left join people p on p.public_id = a.subject left join one_time_links l on l.id = a.subject
   where a.at > $1 and a.at > coalesce((select max(c.news_at) from alerts c where c.kind = k.kind and c.closed_by is not null), '-infinity')
     and not exists (select 1 from alerts c where c.kind = k.kind and c.subject = 'act ' || a.id and c.closed_by is not null)
     and (a.action = 'secrets.rewrap' or (a.action like 'operator.%' and (a.actor_kind <> 'operator' or a.action = any($2::text[]))))
   order by a.id desc limit 100`,
)

const DEEDS: Readonly<Record<string, string>> = {
  'operator.invite': 'was invited',
  'operator.take-back': 'is not invited any more',
  'operator.enrol': 'was let in',
  'operator.role': 'got another role',
  'operator.remove': 'was removed',
  'operator.reset': 'got a link for a new sign-in',
  'operator.sessions': 'was signed out',
}
const SUBJECTS: Readonly<Record<ActKind, string>> = {
  operators_changed: 'operators',
  master_key: 'master key',
}

/**
 * Finds what was done to staff and keys within a day and must be known, one finding a kind: six people who are set up in an afternoon are one
 * alert, which names each and is over by itself.
 */
export async function findActs({ directory }: Pick<Gateway, 'directory'>, at: Date): Promise<Finding[]> {
  const acts = await directory.query(ACTS, [addMs(at, -REPORTED_FOR_MS).toISOString(), ALWAYS_REPORTED])
  return [...groupBy(acts, ({ kind }) => kind)].map(([kind, own]) => {
    const [newest, oldest] = [own[0], own.at(-1)] as [Act, Act] // A group has at least one.
    const rest = own.length - MAX_NAMED
    const sentences = own.slice(0, MAX_NAMED).map(describeAct)
    return {
      ...{ kind, subject: SUBJECTS[kind], size: own.length, since: oldest.at, newestActAt: newest.at },
      message: [...sentences, ...(rest > 0 ? [`and ${rest} more before`] : [])].join('; '),
    }
  })
}

function describeAct({ action, actor, at, who, role }: Act): string {
  const deed = DEEDS[action]
  const act =
    deed === undefined || who === null
      ? `${action}${who === null ? '' : ` of ${who}`}`
      : `${who}${role === null ? '' : ` (${role})`} ${deed}`
  return `${act} by ${actor} at ${at.toISOString()}`
}
