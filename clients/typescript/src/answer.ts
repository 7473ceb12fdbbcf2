import type { LastResponse } from './client.ts'
import type { FetchAnswer } from './transport.ts'

type Sent = { attempts: number; idempotencyKey: string | undefined }

/** Reads the whole body. Throws where it ends too early, or where a good answer is nothing that the service sends. */
export async function readAnswer(answer: FetchAnswer, sent: Sent): Promise<{ body: unknown; last: LastResponse }> {
  const header = (name: string) => answer.headers.get(name) ?? undefined
  const last: LastResponse = {
    status: answer.status,
    requestId: header('x-request-id'),
    idempotencyKey: sent.idempotencyKey,
    replayed: header('idempotent-replayed') === 'true',
    ignored: header('ignored-parameters')?.split(/,\s*/) ?? [],
    attempts: sent.attempts,
  }
  const body = await bodyOf(answer)
  // No member of the object: it is neither copied nor written with it.
  if (typeof body === 'object' && body !== null) Object.defineProperty(body, 'lastResponse', { value: last })
  return { body, last }
}

async function bodyOf(answer: FetchAnswer): Promise<unknown> {
  if (answer.headers.get('content-type')?.startsWith('application/pdf'))
    return new Uint8Array(await answer.arrayBuffer())
  const text = await answer.text()
  try {
    return JSON.parse(text)
  } catch {
    if (answer.status >= 300) return null
    throw new Error('the answer is no JSON, or was cut short')
  }
}
