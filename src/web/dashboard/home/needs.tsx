import type { Action } from '../../../api/access/actions.ts'
import { mayDo } from '../../../api/access/allow.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { Need } from '../../../reports/read-needs.ts'
import { Icon } from '../../parts/icons.tsx'
import { formatPageTime, Section } from '../../parts/parts.tsx'
import { formatShillings } from '../../parts/wording.ts'
import { ADDRESSES_PATH } from '../developers/address-forms.tsx'
import { formatFailing } from '../developers/failing-deliveries.tsx'
import { HOME } from '../texts/home.ts'
import type { DashboardVisit } from '../visit.ts'

/** Lists what waits for this person, each with a link to the page on which it is dealt with. */
export function Needs({ visit, needs }: { visit: DashboardVisit; needs: readonly Need[] }) {
  const visible = needs.filter(({ kind }) => mayDo(visit.caller, ACTION_TO_SEE[kind]))
  return visible.length === 0 ? null : (
    <Section title={HOME.needs.title}>
      <ul class="needs">
        {visible.map((need) => {
          const { text, path } = describeNeed(need)
          return (
            <li>
              <Icon name="warning" />
              {path === null ? text : <a href={visit.to(path)}>{text}</a>}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

/** The action that a person must be allowed to be told of a need: most concern payouts, or are dealt with on pages that show payouts. */
const ACTION_TO_SEE: Record<Need['kind'], Action> = {
  disputes: 'read',
  rejected: 'shop.read',
  webhooks: 'payouts.read',
  'webhooks-failing': 'payouts.read',
  'address-silent': 'payouts.read',
  schedule: 'payouts.read',
  'payroll-short': 'payouts.read',
  prepared: 'payouts.read',
  'payouts-stopped': 'payouts.read',
  'standing-order': 'payouts.read',
}

const MAX_URL_SHOWN = 60

/** An address as a sentence has room for it. */
function shortenUrl(url: string): string {
  const text = oneLine(url)
  return text.length > MAX_URL_SHOWN ? `${text.slice(0, MAX_URL_SHOWN)}…` : text
}

function describeNeed(need: Need): { text: string; path: string | null } {
  const { needs } = HOME
  switch (need.kind) {
    case 'disputes':
      return { text: needs.disputes(need.count, need.more), path: '/disputes?state=open' }
    case 'webhooks':
      return { text: needs.webhooks, path: '/developers/webhooks?status=failed' }
    case 'webhooks-failing':
      return { text: formatFailing(need.failing), path: '/developers/webhooks' }
    case 'address-silent': {
      const { id, url, since } = need.address
      return {
        text: needs.addressSilent(shortenUrl(url), formatPageTime(since)),
        path: `${ADDRESSES_PATH}/${id}`,
      }
    }
    case 'schedule':
      return { text: needs.schedule, path: `/payroll/${need.subject}` }
    case 'payroll-short':
      return {
        text: needs.payrollShort(formatShillings(need.missing), formatPageTime(need.at)),
        path: `/payroll/${need.subject}`,
      }
    case 'prepared':
      return { text: needs.prepared(need.count, need.more), path: '/payouts/prepared?status=prepared' }
    case 'rejected':
      return { text: needs.rejected, path: '/verification' }
    case 'standing-order':
      return { text: needs.standingOrder(need.says), path: '/wallet/withdrawals' }
    case 'payouts-stopped':
      return { text: need.says, path: null }
  }
}
