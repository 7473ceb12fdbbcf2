import { mayDo } from '../../actors/allow.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import { Facts, Money, Note, Section, timeText } from '../../pages/parts.tsx'
import { Rates } from '../../pages/rates.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { PARTS } from '../../pages/texts.ts'
import { shown, ugx } from '../../pages/wording.ts'
import { type CheckerState, checkerState } from '../../payouts/prepared/set-checker-rule.ts'
import { inSentence } from '../../platform/text.ts'
import { ratesOf } from '../../rate-limits/rates.ts'
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
  // The amount that this person has seen. If another change is pending by then, it is not agreed to.
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

/** Shows the rule of the second person, the largest amounts, and the rate limits. */
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
        <div class="actions">
          <Folded
            of={SET}
            title={checker.set}
            {...{ visit, state }}
            values={{ above: amountText(rule.above) }}
          />
          {rule.above !== null && <Folded of={OFF} title={checker.off_} {...{ visit, state }} />}
        </div>
      </Section>
      <Section title={LIMITS.largest}>
        <Facts
          facts={[
            [LIMITS.charge, limit(merchant.chargeLimit)],
            [LIMITS.payout, limit(merchant.payoutLimit)],
          ]}
        />
        {merchant.limitsSetAt !== null && <p>{LIMITS.setByUs(timeText(merchant.limitsSetAt))}</p>}
      </Section>
      <Section title={PARTS.rates.title}>
        <p class="hint">{LIMITS.each}</p>
        <Rates most={ratesOf(app.config, merchant.rateLimits)} granted={merchant.rateLimits} />
        <p class="hint">{LIMITS.own}</p>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

const amountText = (amount: number | null) => (amount === null ? '' : String(amount))

type FoldedProps = {
  of: FormSpec
  title: string
  visit: DashboardVisit
  state: FormState | null
  values?: Values
}

/** Folds a form behind its title, because each may ask for the factor. Renders nothing if the person's role may not do it. */
function Folded({ of: spec, title, visit, state, values = {} }: FoldedProps) {
  if (!mayDo(visit.caller, spec.action)) return null
  return (
    <details open={state?.path === spec.path}>
      <summary>{title}</summary>
      <FormBox of={spec} visit={visit} state={state} values={values} />
    </details>
  )
}

type WantedProps = { visit: DashboardVisit; rule: CheckerState; state: FormState | null }

/** Shows the weaker rule that an owner has asked for. A second owner may agree to it, any owner may drop it. */
function Wanted({ visit, rule: { wanted }, state }: WantedProps) {
  if (wanted === null) return null
  const change = wanted.above === null ? checker.wantedNone : checker.wantedAmount(ugx(wanted.above))
  return (
    <>
      <Note tone="open">{checker.wanted(inSentence(shown(wanted.name)), change, timeText(wanted.from))}</Note>
      <div class="actions">
        {wanted.by !== visit.caller.personId && (
          <Folded
            of={AGREE}
            title={checker.agree}
            {...{ visit, state }}
            values={{ above: amountText(wanted.above) }}
          />
        )}
        <Folded of={DROP} title={checker.drop} {...{ visit, state }} />
      </div>
    </>
  )
}
