import { addTestFunds, MAX_TEST_FUNDS } from '../src/ledger/test-funds.ts'
import { BY_HAND } from '../test/helpers/service/actors.ts'
import { type BenchMerchant, type Stage, withGateway } from './stage.ts'

// Fewer than the product has connections for money.
const AT_ONCE = 4

/** Gives each of these merchants so many times the most test money that can be added at once. */
export async function fund(stage: Stage, merchants: readonly BenchMerchant[], times = 1): Promise<void> {
  await withGateway(stage.config, async ({ gateway }) => {
    const [app] = gateway.cells
    if (app === undefined) throw new Error('the stage has no cell')
    const left = merchants.flatMap((merchant) => Array<BenchMerchant>(times).fill(merchant))
    const work = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop())
        await addTestFunds(app, BY_HAND, {
          holder: { merchantId: next.id, tag: next.tag },
          amount: MAX_TEST_FUNDS,
          key: undefined,
        })
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  })
}
