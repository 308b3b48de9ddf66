import type { DeliverCheckpoint } from '../../domain/ports.ts';
import { type CommandOptions, runCommand } from '../commands/command.ts';

/** Runs the operator's command with the checkpoint on stdin. */
export function checkpointCommand(command: string, options: CommandOptions = {}): DeliverCheckpoint {
  return (note, size) => runCommand(command, { stdin: note, env: { CHECKPOINT_SIZE: String(size) } }, options);
}
