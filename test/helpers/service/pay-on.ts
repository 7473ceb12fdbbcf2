import type { Client } from './test-service.ts'

/** Makes charges one after the other until told to stop; each is repeated under its key until it is acknowledged. */
export function payOn(api: Client, reference: string) {
  const acknowledged = new Set<string>()
  const wrong: string[] = []
  let [isOver, longestMs, lastAt, nth] = [false, 0, performance.now(), 0]
  const flow = (async () => {
    while (!isOver) {
      nth += 1
      const key = { 'idempotency-key': `moving-${nth}` }
      let answer = await api.charge({ reference }, key)
      while (answer.status === 503) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        answer = await api.charge({ reference }, key)
      }
      if (answer.status !== 201) wrong.push(`${answer.status} ${answer.text}`)
      else if (acknowledged.has(answer.body.id)) wrong.push(`${answer.body.id} twice`)
      else acknowledged.add(answer.body.id)
      longestMs = Math.max(longestMs, performance.now() - lastAt)
      lastAt = performance.now()
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await flow
      return { acknowledged, wrong, longestMs }
    },
  }
}
