import type { ComponentChildren } from 'preact'
import { oneLine } from '../../../platform/text/text.ts'
import { type Fact, Facts, Money, Time } from '../../parts/parts.tsx'
import { RECONCILIATION } from '../texts/reconciliation.ts'

const factNames: Readonly<Record<string, string>> = RECONCILIATION.details
const UGX = 'UGX'
const AMOUNT_FACTS = ['amount', 'we_say', 'rail_said']
const TIME_PATTERN = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})$/

/** The facts of an exception in words, each under its name. */
export const ExceptionDetails = ({ details }: { details: Readonly<Record<string, unknown>> }) => (
  <Facts
    facts={Object.entries(details).map(
      ([name, value]): Fact => [
        factNames[name] ?? oneLine(name.replaceAll('_', ' ')),
        renderFact(name, value, details),
      ],
    )}
  />
)

function renderFact(name: string, value: unknown, { currency }: Readonly<Record<string, unknown>>): ComponentChildren {
  if (typeof value === 'number' && AMOUNT_FACTS.includes(name))
    // Our own amount is in shillings, even if the operator's is in another currency.
    return (
      <OperatorAmount amount={value} currency={name === 'we_say' || typeof currency !== 'string' ? UGX : currency} />
    )
  if (typeof value === 'string') return TIME_PATTERN.test(value) ? <Time at={value} /> : oneLine(value)
  if (Array.isArray(value)) return oneLine(value.map((item) => formatValue(item)).join(', '))
  return formatValue(value)
}

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** An amount as the operator reports it, in its own currency. */
export const OperatorAmount = ({ amount, currency }: { amount: number; currency: string }) =>
  currency === UGX || currency === '' ? (
    <Money amount={amount} />
  ) : (
    <span class="money">
      {oneLine(currency)} {amount.toLocaleString('en-US')}
    </span>
  )
