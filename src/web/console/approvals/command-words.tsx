import { type Approval, type ApprovalCommand, parseCommand } from '../../../operations/approvals/approval.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { APPROVALS } from '../texts/approvals.ts'
import type { ConsoleVisit } from '../visit.ts'

const { words } = APPROVALS

/** Describes in sentences what the command of an approval does. */
export function describeCommand(command: ApprovalCommand): string[] {
  switch (command.kind) {
    case 'adjustment':
      return [
        words.correction(command.direction, command.amount),
        words.against[command.against],
        words.told(oneLine(command.told)),
        command.resolve ? words.resolve : words.open,
      ]
    case 'end-as-told':
      return [
        words.asTold(command.about, command.moved),
        ...(command.amount === 0
          ? [words.noDifference]
          : [
              words.correction(command.direction, command.amount),
              words.against[command.against],
              words.told(oneLine(command.told)),
            ]),
      ]
    case 'unfreeze-merchant':
      return [words.unfreeze(command.merchant, oneLine(command.frozen_for))]
    case 'unfreeze-platform':
      return [words.unfreeze(words.platform, oneLine(command.frozen_for))]
    case 'installation':
      return [words.switch(command.side, command.installation, command.instead_of)]
    case 'take-back-statement':
      return [words.takeBack(oneLine(command.name))]
    case 'reopen-account':
      return [words.reopen(command.merchant)]
    case 'accept-breach':
      return [words.accept(oneLine(command.about)), words.acceptOther]
  }
}

/** The subject of an approval, with a link to its page. */
export function CommandSubject({ visit, approval }: { visit: ConsoleVisit; approval: Approval }) {
  const command = parseCommand(approval)
  switch (command.kind) {
    case 'adjustment':
    case 'accept-breach':
    case 'end-as-told':
      return <a href={visit.to(`/reconciliation/exceptions/${command.exception}`)}>{command.exception}</a>
    case 'reopen-account':
    case 'unfreeze-merchant':
      return <a href={visit.to(`/merchants/${command.merchant}`)}>{command.merchant}</a>
    case 'unfreeze-platform':
      return <a href={visit.to('/freeze')}>{words.platform}</a>
    case 'installation':
      return <a href={visit.to('/installations')}>{words.contracts}</a>
    case 'take-back-statement':
      return <a href={visit.to(`/reconciliation/import/${command.statement}`)}>{words.statement}</a>
  }
}
