import { mayDo } from '../../../api/access/allow.ts'
import { listContacts } from '../../../merchants/mails/contacts.ts'
import type { PageRequest } from '../../parts/routes/route.ts'
import { addressWith } from '../../parts/table.tsx'
import { parsePagePath } from '../addresses.ts'
import { HELP } from '../texts/help.ts'
import type { DashboardVisit } from '../visit.ts'
import { OPEN_CASE } from './help-forms.ts'

/** The ways to a person of ours, at the foot of every page: with its reference, and for who is signed in a form that knows the page. */
export function HelpFoot({ asked, visit }: { asked: PageRequest; visit: DashboardVisit | null }) {
  const contacts = listContacts(asked.support, asked.requestId)
  const write = visit !== null && mayWrite(visit) ? addressForWriting(visit) : null
  if (contacts.length === 0 && write === null) return null
  return (
    <nav class="help" aria-label={HELP.foot.label}>
      {write !== null && <a href={write}>{HELP.foot.write}</a>}
      {contacts.map(({ name, written, href }) => (
        <a href={href}>
          {name}: {written}
        </a>
      ))}
    </nav>
  )
}

/** Whether there is a form to write with: staff who look at the pages have none. */
export const mayWrite = (visit: DashboardVisit): boolean =>
  visit.readOnly !== true && mayDo(visit.caller, OPEN_CASE.action)

/** The address of the form, with the page from which it is opened. From the pages about help it is about no page. */
function addressForWriting(visit: DashboardVisit): string {
  const from = parsePagePath(visit.here, visit.base)
  const address = visit.to(OPEN_CASE.path)
  return from === '/help' || from.startsWith('/help/') ? address : addressWith(address, { from, ref: visit.requestId })
}
