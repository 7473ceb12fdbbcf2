import type { TestService } from '../service/test-service.ts'

/**
 * Writes rows of a table again, named `t` in `from`, with these columns of their own: what the service would have written many times,
 * and with every constraint.
 */
export async function writeAgain(
  service: TestService,
  table: string,
  { own, from, values }: { own: Record<string, string>; from: string; values: unknown[] },
): Promise<void> {
  const names = await service.rows<{ name: string }>(
    'select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2',
    [service.app.cell, table],
  )
  await service.rows(
    `insert into ${table} (${names.map(({ name }) => name).join(', ')})
     select ${names.map(({ name }) => own[name] ?? `t.${name}`).join(', ')} from ${from}`,
    values,
  )
}
