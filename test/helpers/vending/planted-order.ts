import type { TestService } from '../service/test-service.ts'

/** A vending order with the merchant, mode, amount and time of this link, and a machine of its own. */
export async function plantOrder(
  service: TestService,
  linkId: string | undefined,
  { id, reference = null }: { id: string; reference?: string | null },
): Promise<string> {
  await service.rows(
    `insert into payment_links (merchant_id, id, mode, kind, amount, reference, allow_multiple_uses, created_at, expires_at)
     select merchant_id, $2, mode, 'order', amount, $3, false, created_at, (created_at at time zone 'UTC' + interval '2 minutes') at time zone 'UTC'
     from payment_links where id = $1`,
    [linkId, id, reference],
  )
  await service.rows(
    `insert into machines (merchant_id, machine, name, created_at)
     select merchant_id, 'M-1', 'M-1', created_at from payment_links where id = $1 on conflict do nothing`,
    [id],
  )
  await service.rows(
    `insert into vending_orders (merchant_id, id, mode, machine, goods, created_at)
     select merchant_id, id, mode, 'M-1', '[{"spbh":"1"}]', created_at from payment_links where id = $1`,
    [id],
  )
  return id
}
