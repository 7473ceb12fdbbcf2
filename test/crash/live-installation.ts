import { type Operator, startOperator } from '../fakes/operator.ts'
import { type Installation, type Merchant, makeInstallation } from './installation.ts'

/** An installation whose live money is settled at once, the operator of its live rail, and one verified merchant. */
export type LiveInstallation = {
  installation: Installation
  operator: Operator
  shop: Merchant
  close(): Promise<void>
}

export async function openLiveInstallation(handle: string): Promise<LiveInstallation> {
  const installation = await makeInstallation({ LIVE_HOLD_HOURS: '0' })
  const operator = await startOperator()
  const close = async () => {
    await installation.end()
    await operator.close()
  }
  const shop = await installation.merchant(handle, ['--verified']).catch(async (error) => {
    await close()
    throw error
  })
  return { installation, operator, shop, close }
}
