import type { Gateway } from '../../program/app.ts'

/** Waits this long (ms) for work, and returns whether it has ended; slower work goes on behind the page, and its error is logged. */
export async function waitBriefly(
  work: Promise<unknown>,
  { waitMs, log, failed }: { waitMs: number; log: Gateway['log']; failed: string },
): Promise<boolean> {
  const slow = new Promise<false>((resolve) => setTimeout(resolve, waitMs, false).unref())
  const isDone = await Promise.race([work.then(() => true), slow])
  if (!isDone) work.catch((err) => log.error({ err }, failed))
  return isDone
}
