import type { Action } from '../../actors/actions.ts'
import { mayDo } from '../../actors/allow.ts'
import { Icon } from '../../pages/icons.tsx'
import { Section, timeText } from '../../pages/parts.tsx'
import { ugx } from '../../pages/wording.ts'
import type { Need } from '../../reports/needs-you.ts'
import { failingSays } from '../developers/failing.tsx'
import { HOME } from '../texts/home.ts'
import type { DashboardVisit } from '../visit.ts'

/** What waits for a person, each with the way to where it is dealt with. */
export function Needs({ visit, needs }: { visit: DashboardVisit; needs: readonly Need[] }) {
  const own = needs.filter(({ kind }) => mayDo(visit.caller, SEE[kind]))
  return own.length === 0 ? null : (
    <Section title={HOME.needs.title}>
      <ul class="needs">
        {own.map((need) => {
          const { says, path } = told(need)
          return (
            <li>
              <Icon name="warning" />
              {path === null ? says : <a href={visit.to(path)}>{says}</a>}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

/** Whom it is for: most of it is about payouts, or is mended where they are seen. */
const SEE: Record<Need['kind'], Action> = {
  disputes: 'read',
  rejected: 'shop.read',
  webhooks: 'payouts.read',
  'webhooks-failing': 'payouts.read',
  schedule: 'payouts.read',
  'payroll-short': 'payouts.read',
  prepared: 'payouts.read',
  'payouts-stopped': 'payouts.read',
}

function told(need: Need): { says: string; path: string | null } {
  const { needs } = HOME
  switch (need.kind) {
    case 'disputes':
      return { says: needs.disputes(need.count, need.more), path: '/disputes?state=open' }
    case 'webhooks':
      return { says: needs.webhooks, path: '/developers/webhooks?status=failed' }
    case 'webhooks-failing':
      return { says: failingSays(need.failing), path: '/developers/webhooks' }
    case 'schedule':
      return { says: needs.schedule, path: `/payroll/${need.subject}` }
    case 'payroll-short':
      return {
        says: needs.payrollShort(ugx(need.missing), timeText(need.at)),
        path: `/payroll/${need.subject}`,
      }
    case 'prepared':
      return { says: needs.prepared(need.count, need.more), path: '/payouts/prepared?status=prepared' }
    case 'rejected':
      return { says: needs.rejected, path: '/verification' }
    case 'payouts-stopped':
      return { says: need.says, path: null }
  }
}
