import type { TestService } from '../../helpers/service/test-service.ts'

/** Runs `work` while the test balance of this merchant is one shilling above the sum of its transfers. */
export async function whileUnbalanced<Value>(
  service: TestService,
  merchantId: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const change = (by: number) =>
    service.rows(
      `update ledger_heads set available = available + $2 where mode = 'test' and merchant_id =
         (select m.id from cell_0.merchants m where m.public_id = $1)`,
      [merchantId, by],
    )
  await change(1)
  try {
    return await work()
  } finally {
    await change(-1)
  }
}
