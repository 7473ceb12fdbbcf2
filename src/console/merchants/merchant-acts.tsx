import type { ComponentChildren } from 'preact'
import { mayDo } from '../../actors/allow.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import { Section } from '../../pages/parts.tsx'
import { Rates } from '../../pages/rates.tsx'
import { type GrantedRates, ratesOf } from '../../rate-limits/rates.ts'
import { MERCHANTS } from '../texts/merchants.ts'
import type { ConsoleVisit } from '../visit.ts'
import {
  ACTIVATE,
  CLOSE,
  DEACTIVATE,
  FREEZE,
  INSTANT_OFF,
  INSTANT_ON,
  KEEP,
  LIMITS,
  LOOK,
  RATES,
  REOPEN,
  VENDING_OFF,
  VENDING_ON,
} from './merchant-forms.ts'
import type { MerchantRead } from './merchant-page.tsx'

const { acts, look } = MERCHANTS

type Part = { visit: ConsoleVisit; merchantData: MerchantRead; state: FormState | null }

/** The forms for a merchant, each folded behind its name, because most of them ask for the second factor. */
export function Acts({ visit, merchantData, state }: Part) {
  const { merchant, did } = merchantData
  if (merchant.account === 'closed')
    return (
      <Section title={acts.title}>
        <div class="actions">
          <Folded of={REOPEN} {...{ visit, merchantData, state }} says={acts.reopenSays} />
        </div>
      </Section>
    )
  const limits = { charge_limit: textOf(merchant.chargeLimit), payout_limit: textOf(merchant.payoutLimit) }
  const part = { visit, merchantData, state }
  return (
    <Section title={acts.title}>
      <div class="actions">
        {merchant.account === 'closing' ? (
          <Folded of={KEEP} {...part} />
        ) : merchant.active ? (
          <Folded of={DEACTIVATE} {...part} says={acts.deactivateSays} />
        ) : (
          <Folded of={ACTIVATE} {...part} />
        )}
        <Folded of={LIMITS} {...part} values={limits} />
        <Folded of={RATES} {...part} says={<RatesNow {...part} />} values={ratesIn(merchant.rateLimits)} />
        <Folded of={merchant.instantSettlement ? INSTANT_OFF : INSTANT_ON} {...part} />
        <Folded of={merchant.vendingEnabled ? VENDING_OFF : VENDING_ON} {...part} />
        <Folded of={FREEZE} {...part} says={acts.freezeSays} />
        {did.frozen !== null && (
          <a class="button plain" href={visit.to('/freeze')}>
            {acts.unfreeze}
          </a>
        )}
        {merchant.account === 'open' && <Folded of={CLOSE} {...part} says={acts.closeSays} />}
      </div>
    </Section>
  )
}

/** The present rate limits, above the fields that change them. */
const RatesNow = ({ visit, merchantData: { merchant } }: Part) => (
  <>
    {acts.ratesSays}
    <Rates most={ratesOf(visit.gateway.config, merchant.rateLimits)} granted={merchant.rateLimits} />
  </>
)

const ratesIn = (granted: GrantedRates): Values =>
  Object.fromEntries(Object.entries(granted).map(([name, limit]) => [name, String(limit)]))

const textOf = (limit: number | null) => (limit === null ? '' : String(limit))

type FoldedProps = Part & { of: FormSpec; says?: ComponentChildren; values?: Values }

function Folded({ of: spec, visit, merchantData, state, says, values = {} }: FoldedProps) {
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
export const Look = ({ visit, merchantData: { merchant, looks }, state }: Part) => (
  <Section title={look.title}>
    <p>{look.lead}</p>
    {looks === null ? (
      <FormBox of={LOOK} {...{ visit, state }} params={{ id: merchant.publicId }} />
    ) : (
      <a class="button" href={visit.to(`/as/${merchant.publicId}`)}>
        {look.open}
      </a>
    )}
  </Section>
)
