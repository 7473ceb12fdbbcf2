import { confirmTestAlert, sendTestAlert } from '../../operations/alerts/test-alert.ts'
import { command } from './frame/command.ts'
import { findText } from './frame/input.ts'

const testAlert = command({
  usage: 'alerts test [--code C]',
  says: 'send one alert by every way there is; with the code that stands in it, confirm that a person reads them',
  async run(input) {
    const code = findText(input, 'code')
    if (code === undefined) {
      await sendTestAlert(input.gateway)
      return {
        json: { sent: true, confirmed: false },
        lines: ['sent; whoever reads it confirms with: gateway alerts test --code <the code in it>'],
      }
    }
    await confirmTestAlert(input.gateway, input.actor, code)
    return { json: { sent: true, confirmed: true }, lines: ['confirmed: somebody reads the alerts'] }
  },
})

export const alertCommands = [testAlert]
