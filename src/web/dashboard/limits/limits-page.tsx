import { mayDo } from '../../../api/access/allow.ts'
import { computeRates } from '../../../api/rate-limits/rates.ts'
import { type CheckerState, checkerState } from '../../../payments/payouts/prepared/set-checker-rule.ts'
import { isolateDirection, oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Facts, formatPageTime, Money, Note, Section } from '../../parts/parts.tsx'
import { Rates } from '../../parts/rates.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { PARTS } from '../../parts/texts.ts'
import { formatShillings } from '../../parts/wording.ts'
import { LIMITS } from '../texts/limits.ts'
import type { DashboardVisit } from '../visit.ts'

const { checker } = LIMITS
const LIMITS_PATH = '/settings/limits'

export const SET_CHECKER: FormSpec = {
  path: `${LIMITS_PATH}/checker`,
  action: 'checker.set',
  fields: [{ name: 'above', label: checker.amount, kind: 'amount', hint: checker.amountHint }],
  submit: checker.set,
  once: true,
}
export const TURN_OFF_CHECKER: FormSpec = {
  path: `${LIMITS_PATH}/checker/off`,
  action: 'checker.set',
  fields: [],
  submit: checker.off_,
  once: true,
  danger: true,
}
export const AGREE_TO_CHECKER: FormSpec = {
  path: `${LIMITS_PATH}/checker/agree`,
  action: 'checker.set',
  // The amount that this person has seen. If another change is pending by then, it is not agreed to.
  fields: [{ name: 'above', label: '', kind: 'hidden' }],
  submit: checker.agree,
  once: true,
}
export const DROP_CHECKER_CHANGE: FormSpec = {
  path: `${LIMITS_PATH}/checker/drop`,
  action: 'checker.set',
  fields: [],
  submit: checker.drop,
  once: true,
}

/** Shows the rule of the second person, the largest amounts, and the rate limits. */
export async function showLimits(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant, caller } = visit
  const rule = await checkerState(app, caller)
  const limit = (own: number | null) => <Money amount={Math.min(own ?? app.config.amountMax, app.config.amountMax)} />
  return pageReply(
    LIMITS.title,
    <>
      <h1>{LIMITS.title}</h1>
      <Section title={checker.title}>
        <p>{checker.lead}</p>
        <Note tone={rule.above === null ? 'quiet' : 'good'}>
          {rule.above === null ? checker.off : checker.on(formatShillings(rule.above))}
        </Note>
        <PendingChange visit={visit} rule={rule} state={state} />
        <p class="hint">{checker.weaker}</p>
        <div class="actions">
          <FoldedForm
            of={SET_CHECKER}
            title={checker.set}
            {...{ visit, state }}
            values={{ above: formatAmountField(rule.above) }}
          />
          {rule.above !== null && <FoldedForm of={TURN_OFF_CHECKER} title={checker.off_} {...{ visit, state }} />}
        </div>
      </Section>
      <Section title={LIMITS.largest}>
        <Facts
          facts={[
            [LIMITS.charge, limit(merchant.chargeLimit)],
            [LIMITS.payout, limit(merchant.payoutLimit)],
          ]}
        />
        {merchant.limitsSetAt !== null && <p>{LIMITS.setByUs(formatPageTime(merchant.limitsSetAt))}</p>}
      </Section>
      <Section title={PARTS.rates.title}>
        <p class="hint">{LIMITS.each}</p>
        <Rates most={computeRates(app.config, merchant.rateLimits)} granted={merchant.rateLimits} />
        <p class="hint">{LIMITS.own}</p>
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

const formatAmountField = (amount: number | null) => (amount === null ? '' : String(amount))

type FoldedFormProps = {
  of: FormSpec
  title: string
  visit: DashboardVisit
  state: FormState | null
  values?: FormValues
}

/** Folds a form behind its title, because each may ask for the factor. Renders nothing if the person's role may not do it. */
function FoldedForm({ of: spec, title, visit, state, values = {} }: FoldedFormProps) {
  if (!mayDo(visit.caller, spec.action)) return null
  return (
    <details open={state?.path === spec.path}>
      <summary>{title}</summary>
      <FormBox of={spec} visit={visit} state={state} values={values} />
    </details>
  )
}

type PendingChangeProps = { visit: DashboardVisit; rule: CheckerState; state: FormState | null }

/** Shows the weaker rule that an owner has asked for. A second owner may agree to it, any owner may drop it. */
function PendingChange({ visit, rule: { wanted }, state }: PendingChangeProps) {
  if (wanted === null) return null
  const change = wanted.above === null ? checker.wantedNone : checker.wantedAmount(formatShillings(wanted.above))
  return (
    <>
      <Note tone="open">
        {checker.wanted(isolateDirection(oneLine(wanted.name)), change, formatPageTime(wanted.from))}
      </Note>
      <div class="actions">
        {wanted.by !== visit.caller.personId && (
          <FoldedForm
            of={AGREE_TO_CHECKER}
            title={checker.agree}
            {...{ visit, state }}
            values={{ above: formatAmountField(wanted.above) }}
          />
        )}
        <FoldedForm of={DROP_CHECKER_CHANGE} title={checker.drop} {...{ visit, state }} />
      </div>
    </>
  )
}
