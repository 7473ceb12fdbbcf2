import type { VNode } from 'preact'
import { type GrantedRates, RATE_NAMES, type RateName } from '../../api/rate-limits/rates.ts'
import { Facts } from './parts.tsx'
import { PARTS } from './texts.ts'

const { rates: texts } = PARTS
const COUNT_FORMAT = new Intl.NumberFormat('en-US')

type RatesProps = { most: Readonly<Record<RateName, number>>; granted: GrantedRates }

/** Shows how many requests of each kind a merchant may send a minute, and which of these limits are set for this merchant. */
export const Rates = ({ most, granted }: RatesProps): VNode => (
  <Facts
    facts={RATE_NAMES.map((name) => {
      const count = most[name] === 0 ? texts.any : COUNT_FORMAT.format(most[name])
      return [texts.names[name], granted[name] === undefined ? count : `${count}, ${texts.own}`]
    })}
  />
)
