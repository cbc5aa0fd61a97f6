-- checksum 4f158e922a91356eb041a2a214a7dddcdefd9c59742be80d497c859f79e79fb0, statements ffbf85ae654adf6e
-- The process that works on an import, and the end of its lease: until then no other process works on it.
alter table imports add column lease_holder uuid, add column leased_until timestamptz;
alter table simulations rename column holder to lease_holder;
alter table simulations rename column held_until to leased_until;
