import type { Client, TestService } from '../service/test-service.ts'

export const eventsOf = (service: TestService, subject: string) =>
  service.rows<{ type: string; body: string }>('select type, body from events where subject = $1', [subject])

export const transfersOf = (service: TestService, subject: string) =>
  service.rows<{ kind: string; amount: string; mode: string }>(
    'select kind, amount::int, mode from transfers where subject = $1 order by seq',
    [subject],
  )

export const balanceOf = async (client: Client) => {
  const { available, pending } = (await client.get('/v1/balance')).body.balances[0]
  return { available, pending }
}

/** Every transfer about this subject, as `kind debit credit amount`. */
export const postingsOf = async (service: TestService, subject: string): Promise<string[]> =>
  (
    await service.rows<{ posting: string }>(
      `select concat_ws(' ', kind, debit, credit, amount) as posting from transfers where subject = $1 order by seq`,
      [subject],
    )
  ).map(({ posting }) => posting)
