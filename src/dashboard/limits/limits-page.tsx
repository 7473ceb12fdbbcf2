import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Facts, Money, Note, Section, timeText } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { shown, ugx } from '../../pages/wording.ts'
import { type CheckerState, checkerState } from '../../payouts/prepared/set-checker-rule.ts'
import { LIMITS } from '../texts/limits.ts'
import type { DashboardVisit } from '../visit.ts'

const { checker } = LIMITS
const PATH = '/settings/limits'

export const SET: FormSpec = {
  path: `${PATH}/checker`,
  action: 'checker.set',
  fields: [{ name: 'above', label: checker.amount, kind: 'amount', hint: checker.amountHint }],
  submit: checker.set,
  once: true,
}
export const OFF: FormSpec = {
  path: `${PATH}/checker/off`,
  action: 'checker.set',
  fields: [],
  submit: checker.off_,
  once: true,
  danger: true,
}
export const AGREE: FormSpec = {
  path: `${PATH}/checker/agree`,
  action: 'checker.set',
  // What this person has seen: another wish is not agreed to.
  fields: [{ name: 'above', label: '', kind: 'hidden' }],
  submit: checker.agree,
  once: true,
}
export const DROP: FormSpec = {
  path: `${PATH}/checker/drop`,
  action: 'checker.set',
  fields: [],
  submit: checker.drop,
  once: true,
}

/** What may move at once, and the rule of the second person. */
export async function showLimits(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant, caller } = visit
  const rule = await checkerState(app, caller)
  const limit = (own: number | null) => (
    <Money amount={Math.min(own ?? app.config.amountMax, app.config.amountMax)} />
  )
  return shownPage(
    LIMITS.title,
    <>
      <h1>{LIMITS.title}</h1>
      <Section title={checker.title}>
        <p>{checker.lead}</p>
        <Note tone={rule.above === null ? 'quiet' : 'good'}>
          {rule.above === null ? checker.off : checker.on(ugx(rule.above))}
        </Note>
        <Wanted visit={visit} rule={rule} state={state} />
        <p class="hint">{checker.weaker}</p>
        <FormBox
          of={SET}
          visit={visit}
          state={state}
          values={{ above: rule.above === null ? '' : String(rule.above) }}
        />
        {rule.above !== null && <FormBox of={OFF} visit={visit} state={state} />}
      </Section>
      <Section title={LIMITS.largest}>
        <Facts
          facts={[
            [LIMITS.charge, limit(merchant.chargeLimit)],
            [LIMITS.payout, limit(merchant.payoutLimit)],
          ]}
        />
        <p class="hint">{LIMITS.own}</p>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

type WantedProps = { visit: DashboardVisit; rule: CheckerState; state: FormState | null }

/** The weaker rule that somebody has asked for: a second owner agrees, any owner drops it. */
function Wanted({ visit, rule: { wanted }, state }: WantedProps) {
  if (wanted === null) return null
  const what = wanted.above === null ? checker.wantedNone : checker.wantedAmount(ugx(wanted.above))
  return (
    <>
      <Note tone="open">{checker.wanted(shown(wanted.name), what, timeText(wanted.from))}</Note>
      {wanted.by !== visit.caller.personId && (
        <FormBox
          of={AGREE}
          visit={visit}
          state={state}
          values={{ above: wanted.above === null ? '' : String(wanted.above) }}
        />
      )}
      <FormBox of={DROP} visit={visit} state={state} />
    </>
  )
}
