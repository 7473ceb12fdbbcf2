import {
  type ClosingBlocker,
  listClosingBlockers,
  readRemainder,
} from '../../../operations/closing/account-remainder.ts'
import { OutsideText, Section, Time } from '../../parts/parts.tsx'
import { MERCHANTS } from '../texts/merchants.ts'
import type { MerchantPageData } from './merchant-page.tsx'

const { closing: words } = MERCHANTS.acts

/** Shows who closes an account, since when, and what it still waits for; null for an account that is not closing. */
export async function renderClosing({ app, merchant }: Pick<MerchantPageData, 'app' | 'merchant'>) {
  if (merchant.account !== 'closing') return null
  const waits: readonly ClosingBlocker[] = listClosingBlockers(app, merchant, await readRemainder(app, merchant))
  return (
    <Section title={words.title}>
      <p>
        {merchant.closingBy === 'owner' ? words.byOwner : words.byUs}{' '}
        {merchant.closingAt !== null && <Time at={merchant.closingAt} />}{' '}
        {merchant.inactiveFor !== null && <OutsideText text={merchant.inactiveFor} />}
      </p>
      {waits.length > 0 && (
        <p>
          {words.waits} {waits.map((wait) => words.on[wait]).join(', ')}
        </p>
      )}
    </Section>
  )
}
