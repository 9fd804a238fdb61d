import type { AddressProblem, OutgoingReason } from '#http/outgoing.ts';
import type { DeliveryState, MessageType } from '#store/applications/webhooks/deliveries.ts';
import type { WebhookForm, WebhookReason, WebhookState } from '#store/applications/webhooks/webhooks.ts';
import type { ChangeType, ResourceKind } from '#store/game/changes.ts';

/** The English texts of webhooks. */
export const webhooks = {
  webhooks: {
    title: 'Webhooks',
    lead: 'A webhook is an address of yours that gets a message when a match, a map, a punishment, a player or a server changes.',
    guide: 'How to receive and verify messages',
    none: 'There is no webhook yet.',
    no_access: 'Nothing is delivered until the application has access to the data API.',
    add: 'Add a webhook',
    url: 'Address',
    url_hint: 'Of your program, beginning with https://, or of a webhook of a Discord channel',
    form: 'Form',
    forms: { standard: 'Signed requests (Standard Webhooks)', discord: 'Messages in a Discord channel' } as Record<
      WebhookForm,
      string
    >,
    kinds: 'Resources',
    kinds_hint: 'Removals of every kind are always sent. A Discord channel shows new matches and punishments.',
    kind_names: {
      match: 'Matches',
      map: 'Maps',
      punishment: 'Punishments',
      player: 'Players',
      server: 'Servers',
    } as Record<ResourceKind, string>,
    start: 'Begin',
    starts: { head: 'with new changes', start: 'with everything there is now' },
    after_reset: 'After a restored backup',
    after_reset_hint: 'The receiver is told with a message “feed.reset” that its copy may be wrong.',
    secret_once: 'The secret with which you verify messages:',
    once: 'This is shown only once. Copy it now: it cannot be shown again, only replaced.',
    state: 'State',
    since: 'since',
    states: { unverified: 'not verified', on: 'on', waiting: 'waiting', off: 'off' } as Record<WebhookState, string>,
    reasons: {
      failures: 'Messages could not be delivered.',
      slow_down: 'The receiver asked for a pause.',
      owner: 'An owner switched it off.',
      operator: 'The operator switched it off.',
      gone: 'The receiver answered that it is gone.',
      secret: 'Its secret can no longer be read. Delete it, and add it again.',
    } as Record<WebhookReason, string>,
    next_attempt: 'Next attempt',
    behind: 'Not yet delivered',
    verify_title: 'Verify the receiver',
    verify_lead:
      'A first message with a challenge was sent. A receiver that answers with the challenge is verified at once. Otherwise copy it from what your program received.',
    code: 'Challenge',
    verify: 'Verify',
    first_again: 'Send the first message again',
    test: 'Send a test message',
    pause: 'Switch off',
    resume: 'Switch on',
    rotate: 'Replace the secret',
    rotate_hint: 'For a day both secrets sign, so that you can change your program without losing messages.',
    move: 'Move the cursor',
    move_hint: 'start, head, a cursor of /v1/changes, or a time like 2026-01-31T12:00:00Z',
    move_to: 'Cursor',
    move_button: 'Move',
    delete: 'Delete the webhook',
    delete_title: (host: string) => `Delete the webhook to ${host}?`,
    delete_impact: 'Its log and its cursor are deleted. Messages that wait are not sent.',
    log: 'Messages of the last 30 days',
    log_empty: 'No message has been sent yet.',
    message: 'Message',
    result: 'Result',
    when: 'Last attempt',
    delivery_states: {
      pending: 'is tried again',
      delivered: 'delivered',
      set_aside: 'failed',
      replaced: 'replaced by a later message',
    } as Record<DeliveryState, string>,
    sending: 'is being sent',
    attempts: (count: number) => `attempt ${count}`,
    responses: {
      address: 'The address is not allowed.',
      not_public: 'The address is not public.',
      not_found: 'The name of the host is not known.',
      timeout: 'No response within 15 seconds.',
      certificate: 'The certificate is not valid.',
      unreachable: 'The connection failed.',
      wrong_answer: 'The response was not HTTP.',
      no_message: 'A channel does not show this.',
    } as Record<OutgoingReason | 'no_message', string>,
    response: 'Response',
    resend: 'Send again',
    reload: 'Reload',
    message_types: {
      'webhook.verification': 'First message',
      'webhook.test': 'Test message',
      'webhook.probe': 'Probe',
      'feed.reset': 'Reset',
    } as Record<MessageType, string>,
    change_types: {
      created: 'new',
      changed: 'changed',
      withdrawn: 'withdrawn',
      merged: 'merged',
      erased: 'erased',
    } as Record<ChangeType, string>,
    off_banner: (host: string) => `The webhook to ${host} is off:`,
    see: 'Show it',
    problems: {
      url: 'Enter an address like https://hooks.example.org/scorehall.',
      scheme: 'The address must begin with https://.',
      credentials: 'The address must not contain a user name or a password.',
      port: 'The address must not name a port other than 443.',
      not_public: 'The address must be public, not one of a private network.',
      not_discord: 'Enter the address of the channel’s webhook, like https://discord.com/api/webhooks/ID/TOKEN.',
      discord_kinds: 'Choose matches or punishments, which are what a channel shows.',
      enough_webhooks: 'The application has as many webhooks as it can have.',
      too_many_tests: 'Too many test messages within an hour. Try again later.',
      wrong_code: 'This is not the challenge of the first message.',
      unknown_place: 'Enter start, head, a cursor of /v1/changes, or a time like 2026-01-31T12:00:00Z.',
      forgotten_place: 'Removals after this place are no longer stored. Enter start to get everything there is.',
      kinds: 'Choose at least one.',
    } as Record<
      | AddressProblem
      | 'not_discord'
      | 'discord_kinds'
      | 'enough_webhooks'
      | 'too_many_tests'
      | 'wrong_code'
      | 'unknown_place'
      | 'forgotten_place'
      | 'kinds',
      string
    >,
    done: {
      sent: 'The message is sent within seconds. Reload the page to see the result.',
      verified: 'The receiver is verified.',
      moved: 'The cursor was moved.',
      removed: 'The webhook was deleted.',
      is_off: 'The webhook is off: switch it on first.',
      blocked: 'The operator switched it off. Ask the operator to allow it again.',
      forgotten: 'What this message was about was removed.',
    },
    operator_lead: 'The receivers of all applications, the newest first.',
    block: 'Block',
    unblock: 'Allow',
    block_title: (host: string) => `Block the webhook to ${host}?`,
    block_impact: 'Nothing is sent to it, and its owners cannot switch it on.',
    block_undo: 'Operators can allow it again. It then continues at its cursor.',
    mail: {
      subject: (application: string) => `A webhook of ${application} is off`,
      lead: (application: string, host: string) => `The webhook of ${application} to ${host} was switched off.`,
      reasons: {
        failures: 'For five days no message could be delivered to it.',
        gone: 'Its receiver answered that it is gone.',
        secret: 'Its secret can no longer be read. Delete it, and add it again.',
      } as Partial<Record<WebhookReason, string>>,
      next: 'It keeps its cursor: when it is switched on again, it gets everything that has changed since.',
    },
  },
};
