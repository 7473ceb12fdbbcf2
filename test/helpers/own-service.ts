import type { LiveService } from './live-service.ts'

/** Works on a service that only this test uses, and verifies it afterwards. */
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
