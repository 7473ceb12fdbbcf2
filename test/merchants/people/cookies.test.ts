import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../helpers/service/free-port.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { browserOf } from '../../helpers/web/browser.ts'

const PASSWORD = 'four words of mine'

test('A67: cookies of people want https, but for plain http on this machine', async () => {
  const cookiesAt = async (baseUrl: string) => {
    const port = await freePort()
    const at = await startService({ env: { BASE_URL: baseUrl, PORT: String(port) } })
    const url = `http://127.0.0.1:${port}`
    const form = { business: 'B', email: 'b@shop.invalid', password: PASSWORD }
    const { setCookies } = await browserOf({ url })
      .post('/dashboard/sign-up', form)
      .finally(() => at.close())
    return setCookies.map((setCookie) => setCookie.replace(/=[\w-]{43}/, ''))
  }
  const rest = (seconds: number) => `; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax`
  const [session, known] = [rest(43_200), rest(34_560_000)]
  assert.deepEqual(await cookiesAt('http://localhost:8080'), [`dashboard${session}`, `browser${known}`])
  for (const url of ['https://pay.shops.invalid', 'http://192.168.1.5:8080'])
    assert.deepEqual(await cookiesAt(url), [`__Host-dashboard${session}; Secure`, `__Host-browser${known}; Secure`])
})
