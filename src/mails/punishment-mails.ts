import type { AppContext } from '#context/context.ts';
import { appealContact } from '#http/contact.ts';
import { en, punishmentTypeName } from '#http/game-texts/en.ts';
import { ja } from '#http/game-texts/ja.ts';
import { timeFormatter } from '#http/languages.ts';
import { idOf } from '#platform/ids.ts';
import type { Mail } from '#platform/mail/mail.ts';
import { type Account, accountsOfPlayer } from '#store/accounts/accounts.ts';
import { ACTIVE, type Punishment, punishmentByKey } from '#store/game/punishments.ts';
import { claimNotices, dropNotice, endNotice } from '#store/mail/punishment-notices.ts';
import { textMail } from './text-mail.ts';

type Context = Pick<AppContext, 'config' | 'db' | 'clock' | 'mail'>;

const TYPES = { en: en.punishmentTypes, ja: ja.punishmentTypes };

/**
 * Tells punished players by mail, if the punishment is in force and an account is linked. Any number of processes may run this.
 */
export async function mailPunished({ config, db, clock, mail }: Context): Promise<void> {
  for (const notice of await claimNotices(db, clock.now())) {
    const punishment = await punishmentByKey(db, notice.punishment_key, clock.now());
    const account = punishment?.state === ACTIVE ? await recipient(db, punishment) : undefined;
    if (account === undefined) await dropNotice(db, notice);
    else
      mail.send(punishmentMail(config, account, punishment!), async (delivered) => {
        if (delivered) await endNotice(db, notice);
      });
  }
}

/** An active account with a confirmed address that is linked to the player, or to one that was merged into the player. */
async function recipient(db: Context['db'], { punished }: Punishment): Promise<Account | undefined> {
  const reachable = (await accountsOfPlayer(db, punished.uuid)).filter(
    ({ email_verified, disabled }) => email_verified && disabled === null,
  );
  return reachable.find(({ player_uuid }) => player_uuid === punished.uuid) ?? reachable[0];
}

/** It does not name the punisher, whom the player could threaten. */
function punishmentMail(
  config: Context['config'],
  account: Account,
  { key, punished, type, reason, expires, server }: Punishment,
): Mail {
  const contact = appealContact(config);
  return textMail(config, account, ({ punishment: t, lang }) => {
    const formatTime = timeFormatter(lang, config.TIME_ZONE);
    const typeName = punishmentTypeName(TYPES[lang], type);
    const facts = [
      t.type(typeName),
      ...(reason === '' ? [] : [t.reason(reason)]),
      expires === null ? t.permanent : t.until(formatTime(expires), config.TIME_ZONE),
      server === '' ? t.by_network : t.by_server(server),
      t.id(idOf(key)),
    ];
    return [
      t.subject(typeName),
      t.lead(punished.name),
      facts.map((fact) => `- ${fact}`).join('\n'),
      `${config.SITE_URL}/punishments/${idOf(key)}`,
      ...(contact === '' ? [] : [t.appeal(contact)]),
    ];
  });
}
