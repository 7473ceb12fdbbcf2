import type { ComponentChildren } from 'preact'
import { mayDo } from '../../../api/access/allow.ts'
import { computeRates, type GrantedRates } from '../../../api/rate-limits/rates.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import { Rates } from '../../parts/rates.tsx'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'
import {
  ACTIVATE_MERCHANT_FORM,
  CLOSE_ACCOUNT_FORM,
  DEACTIVATE_MERCHANT_FORM,
  FREEZE_MERCHANT_FORM,
  INSTANT_OFF_FORM,
  INSTANT_ON_FORM,
  KEEP_ACCOUNT_FORM,
  MERCHANT_LIMITS_FORM,
  MERCHANT_RATES_FORM,
  REOPEN_ACCOUNT_FORM,
  VENDING_OFF_FORM,
  VENDING_ON_FORM,
  VIEW_AS_FORM,
} from './merchant-forms.ts'
import type { MerchantPageData } from './merchant-page.tsx'

const { acts, look } = MERCHANTS

type MerchantActsProps = { visit: ConsoleVisit; merchantData: MerchantPageData; state: FormState | null }

/** The forms for a merchant, each folded behind its name, because most of them ask for the second factor. */
export function MerchantActs({ visit, merchantData, state }: MerchantActsProps) {
  const { merchant, did } = merchantData
  if (merchant.account === 'closed')
    return (
      <Section title={acts.title}>
        <div class="actions">
          <FoldedForm of={REOPEN_ACCOUNT_FORM} {...{ visit, merchantData, state }} says={acts.reopenSays} />
        </div>
      </Section>
    )
  const limits = {
    charge_limit: formatLimitValue(merchant.chargeLimit),
    payout_limit: formatLimitValue(merchant.payoutLimit),
  }
  const part = { visit, merchantData, state }
  return (
    <Section title={acts.title}>
      <div class="actions">
        {merchant.account === 'closing' ? (
          <FoldedForm of={KEEP_ACCOUNT_FORM} {...part} />
        ) : merchant.active ? (
          <FoldedForm of={DEACTIVATE_MERCHANT_FORM} {...part} says={acts.deactivateSays} />
        ) : (
          <FoldedForm of={ACTIVATE_MERCHANT_FORM} {...part} />
        )}
        <FoldedForm of={MERCHANT_LIMITS_FORM} {...part} values={limits} />
        <FoldedForm
          of={MERCHANT_RATES_FORM}
          {...part}
          says={<CurrentRates {...part} />}
          values={formatRateValues(merchant.rateLimits)}
        />
        <FoldedForm of={merchant.instantSettlement ? INSTANT_OFF_FORM : INSTANT_ON_FORM} {...part} />
        <FoldedForm of={merchant.vendingEnabled ? VENDING_OFF_FORM : VENDING_ON_FORM} {...part} />
        <FoldedForm of={FREEZE_MERCHANT_FORM} {...part} says={acts.freezeSays} />
        {did.frozen !== null && (
          <a class="button plain" href={visit.to('/freeze')}>
            {acts.unfreeze}
          </a>
        )}
        {merchant.account === 'open' && <FoldedForm of={CLOSE_ACCOUNT_FORM} {...part} says={acts.closeSays} />}
      </div>
    </Section>
  )
}

/** The present rate limits, above the fields that change them. */
const CurrentRates = ({ visit, merchantData: { merchant } }: MerchantActsProps) => (
  <>
    {acts.ratesSays}
    <Rates most={computeRates(visit.gateway.config, merchant.rateLimits)} granted={merchant.rateLimits} />
  </>
)

const formatRateValues = (granted: GrantedRates): FormValues =>
  Object.fromEntries(Object.entries(granted).map(([name, limit]) => [name, String(limit)]))

const formatLimitValue = (limit: number | null) => (limit === null ? '' : String(limit))

type FoldedFormProps = MerchantActsProps & { of: FormSpec; says?: ComponentChildren; values?: FormValues }

function FoldedForm({ of: spec, visit, merchantData, state, says, values = {} }: FoldedFormProps) {
  if (!mayDo(visit.caller, spec.action)) return null
  return (
    <details open={state?.path === spec.path}>
      <summary>{spec.submit}</summary>
      {says !== undefined && <div class="hint">{says}</div>}
      <FormBox of={spec} {...{ visit, state, values }} params={{ id: merchantData.merchant.publicId }} />
    </details>
  )
}

/** Opens a read-only view of the merchant's own pages, for which staff must give a reason. */
export const ViewAsSection = ({ visit, merchantData: { merchant, looks }, state }: MerchantActsProps) => (
  <Section title={look.title}>
    <p>{look.lead}</p>
    {looks === null ? (
      <FormBox of={VIEW_AS_FORM} {...{ visit, state }} params={{ id: merchant.publicId }} />
    ) : (
      <a class="button" href={visit.to(`/as/${merchant.publicId}`)}>
        {look.open}
      </a>
    )}
  </Section>
)
