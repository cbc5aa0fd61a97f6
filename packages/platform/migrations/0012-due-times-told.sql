-- checksum da38bf5b2f63f1a86c4aba1ab2ff2e4b596346ae5ea1de7100cb91fb7a8caf72, statements 669d48696ee5bbc3
-- The due times for which the warning and the breach were last published. If a due time is changed and changed back,
-- the warning and the breach are not published again.
alter table service_requests add column warned_for timestamptz, add column breached_for timestamptz;
update service_requests set warned_for = case when warned then due_at end, breached_for = case when breached then due_at end;
alter table service_requests drop column warned, drop column breached;

-- Normalizes these letters in stored words, as is now done for new words. New words no longer contain the number of the
-- request.
update service_requests set words = replace(replace(replace(replace(
    translate(words, 'łđðøħıŧ', 'lddohit'), 'œ', 'oe'), 'æ', 'ae'), 'ß', 'ss'), 'þ', 'th')
where words ~ '[łđðøħıŧœæßþ]';
