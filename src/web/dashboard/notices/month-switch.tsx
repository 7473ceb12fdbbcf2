import { readNextMonthClose } from '../../../reports/notices/month-close-readers.ts'
import { parsePeriod } from '../../../reports/statement/period.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Note, OutsideText, Section } from '../../parts/parts.tsx'
import { addressIn } from '../addresses.ts'
import { NOTICES } from '../texts/notices.ts'
import type { DashboardVisit } from '../visit.ts'
import { NOTICES_PATH } from './notices-path.ts'

const { month } = NOTICES

export const HEAR_MONTHS: FormSpec = {
  path: `${NOTICES_PATH}/months/on`,
  action: 'month-close.set',
  fields: [],
  submit: month.on,
}
export const STOP_MONTHS: FormSpec = {
  path: `${NOTICES_PATH}/months/off`,
  action: 'month-close.stop',
  fields: [],
  submit: month.off,
  plain: true,
}

/** The switch of the person who looks: each month's statement and ledger by mail. */
export async function renderMonthSwitch(visit: DashboardVisit, state: FormState | null) {
  const next = await readNextMonthClose(visit.app, visit.caller)
  return (
    <Section title={month.title} id="months">
      <p>{month.lead}</p>
      {next !== null && (
        <p>
          <OutsideText text={month.next(parsePeriod(next).period.label, visit.signedIn.person.email)} />
        </p>
      )}
      <Switch visit={visit} state={state} isOn={next !== null} />
    </Section>
  )
}

function Switch({ visit, state, isOn }: { visit: DashboardVisit; state: FormState | null; isOn: boolean }) {
  if (isOn) return <FormBox of={STOP_MONTHS} visit={visit} state={state} compact />
  if (visit.mode === 'live') return <FormBox of={HEAR_MONTHS} visit={visit} state={state} compact />
  return (
    <Note>
      {month.liveOnly} <a href={addressIn('live', `${NOTICES_PATH}#months`)}>{NOTICES.toLive}</a>
    </Note>
  )
}
