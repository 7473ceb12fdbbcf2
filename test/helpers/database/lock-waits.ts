import { eventually } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'

/** How many connections are waiting for a lock. */
export const countLockWaits = async (service: TestService): Promise<number> =>
  (await service.rows("select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
    .length

/** Resolves when a connection waits for a lock. */
export const somebodyWaits = (service: TestService): Promise<void> =>
  eventually('somebody waits for a lock', async () => (await countLockWaits(service)) > 0)
