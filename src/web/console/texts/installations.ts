/** The texts of the page on which staff choose which installation takes new payments. */
export const INSTALLATIONS = {
  title: 'Contracts with the operator',
  lead: 'Which contract takes new payments of each side. What is under way stays with the contract that it was sent through.',
  none: 'No contract is configured',
  noneSays:
    'Live payments are refused until OP1_INSTALLATIONS names a file that describes one. The operating guide says how; start the processes again afterwards.',
  sides: { collect: 'Money in', disburse: 'Money out' },
  columns: { side: 'Side', takes: 'Takes new payments', why: 'Because', known: 'Configured' },
  byFile: 'the settings mark it as active',
  chosen: 'two operators chose it',
  gone: (id: string) => `two operators chose ${id}, which the settings lack: the settings count`,
  nobody: 'none',
  form: {
    title: 'Switch a side to another contract',
    says: 'A second operator must approve it within 24 hours. All processes follow within seconds.',
    side: 'Side',
    installation: 'Contract',
    reason: 'Reason',
    submit: 'Ask a second operator',
  },
}
