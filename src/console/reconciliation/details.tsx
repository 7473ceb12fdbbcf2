import type { ComponentChildren } from 'preact'
import { type Fact, Facts, Money, Time } from '../../pages/parts.tsx'
import { shown } from '../../pages/wording.ts'
import { RECONCILIATION } from '../texts/reconciliation.ts'

const names: Readonly<Record<string, string>> = RECONCILIATION.details
const UGX = 'UGX'
const AMOUNTS = ['amount', 'we_say', 'rail_said']
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9]{2}:[0-9]{2})$/

/** The facts of an exception in words, each under its name. */
export const Details = ({ details }: { details: Readonly<Record<string, unknown>> }) => (
  <Facts
    facts={Object.entries(details).map(
      ([name, value]): Fact => [
        names[name] ?? shown(name.replaceAll('_', ' ')),
        worded(name, value, details),
      ],
    )}
  />
)

function worded(
  name: string,
  value: unknown,
  { currency }: Readonly<Record<string, unknown>>,
): ComponentChildren {
  if (typeof value === 'number' && AMOUNTS.includes(name))
    // Our own amount is in shillings, even if the operator's is in another currency.
    return (
      <Amount amount={value} currency={name === 'we_say' || typeof currency !== 'string' ? UGX : currency} />
    )
  if (typeof value === 'string') return TIME.test(value) ? <Time at={value} /> : shown(value)
  if (Array.isArray(value)) return shown(value.map((item) => wordOf(item)).join(', '))
  return wordOf(value)
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** An amount as the operator reports it, in its own currency. */
export const Amount = ({ amount, currency }: { amount: number; currency: string }) =>
  currency === UGX || currency === '' ? (
    <Money amount={amount} />
  ) : (
    <span class="money">
      {shown(currency)} {amount.toLocaleString('en-US')}
    </span>
  )
