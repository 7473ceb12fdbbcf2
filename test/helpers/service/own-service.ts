import type { LiveService } from './live-service.ts'

/** Runs a test on a service of its own, and verifies the service afterwards. */
export async function onOwnService(
  start: () => Promise<LiveService>,
  work: (service: LiveService) => Promise<void>,
): Promise<void> {
  const service = await start()
  try {
    await work(service)
    await service.verify()
  } finally {
    await service.close()
  }
}
