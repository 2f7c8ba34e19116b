# A fictional year. `everwhen demo` plays it: what was said, when, and what became known when.
#
# == NAME: DESCRIPTION   the memory that follows
# @ TIME                 the clock; each line after it takes a minute
# > WORDS                said by the user; `[tag]` before the words tags them, `(TIME)` says they were said then
# < WORDS                said by the assistant
# ! end REASON           ends the conversation
# ! correct START = WORDS | REASON
# ! fork START           leaves everything after the entry that starts so
# ! pin START            pins the fact that starts so
# ! context TEXT         writes the context document; `/` stands for a line break
zone Europe/Lisbon

== ana: Everyday talk with an assistant
@ 2025-01-06 08:12
> Good morning. My name is Ana. I live in Porto. I work at a ceramics museum.
< Good morning Ana! A new week and a new year. What should I keep in mind?
> [health] My A1C was 7.4% at the check-up on Friday. The doctor wants it below 6.5% by summer.
< Noted: 7.4 %, with 6.5 % as the goal. Shall we make a plan for it?
> Yes. I started walking 30 minutes before work.
< Thirty minutes every day before work is a good beginning.
@ 2025-01-07 21:40
> Walked along the river in the rain. It still counts.
< It counts twice.
@ 2025-01-11 10:05
> My sister Inês is expecting a baby in July.
< How lovely. I will remember July.
> [books] I want to read more this year, at least two books a month.
< Two a month makes twenty-four. Which one is first?
> The Museum of Innocence. A museum person has to.
@ 2025-01-19 18:30
> We adopted a dog today. My dog's name is Rex.
< Welcome, Rex! How old is he?
> The shelter thinks four years. He is afraid of trams.
@ 2025-01-20 07:50
> Rex slept on my shoes.
< He wanted to make sure you come back.
@ 2025-01-27 20:15
> [health] I cut sugar from my coffee this week.
< That is the hardest cup of the day. How do you feel?
> Grumpy, but fine.
@ 2025-02-03 08:05
> [work] The museum wants a digital catalogue of the tile collection. They asked me to lead it.
< Congratulations! That is a big project.
> About 3,200 tiles, photographs and stories.
@ 2025-02-04 19:20
> [work] The catalogue has to be finished by October 15.
< October 15 for 3,200 tiles. That is about 100 a week with some room.
@ 2025-02-14 22:10
> Dinner with Tomás at the little place in Ribeira. He talked about Lisbon again.
< Does he want to move there?
> His firm does. I am not sure.
@ 2025-02-22 11:00
> [books] Finished The Museum of Innocence. Sad and very exact.
< One down. What is next?
> Something with jokes in it.
@ 2025-03-03 08:30
> [health] A1C improved to 7.0%.
< From 7.4 % in January to 7.0 % in March: the walks work.
> I told Rex. He was pleased.
@ 2025-03-08 09:45
> [family] (2024-10-05 15:00) From my old notebook: Grandmother gave me her recipe for quince jam, and the big copper pot.
< Kept under the fifth of October, the day you wrote it.
> [family] (2024-12-24 20:00) Another page: Grandmother sang so loudly at dinner that the neighbours sang along.
< Two pages of 2024, learned today and dated then.
@ 2025-03-15 17:30
> We have decided: we move to Lisbon in April.
< A big step. What made up your mind?
> Tomás starts on May 5, and the museum lets me work from there three days a week.
! context # Ana / Lives in Porto, works at a ceramics museum. / Lowering her A1C: 7.4 % in January, 7.0 % in March. / Leads the digital catalogue of the tile collection. / Rex, a dog who is afraid of trams. / Moving to Lisbon with Tomás in April.
@ 2025-03-29 12:00
> Packing. I own more bowls than a person needs.
< You work in ceramics. It was bound to happen.
@ 2025-04-12 21:00
> I moved to Lisbon. The flat has a view of a lemon tree and of a tram.
< Congratulations! And Rex?
> He barks at every tram. There are many.
@ 2025-04-13 09:10
> My landlord is Senhor Pinto. He plays the accordion.
< Senhor Pinto with the accordion, noted.
@ 2025-04-14 09:00
> I read the contract again.
! correct My landlord is = My landlord is Senhor Prado. He plays the accordion. | Pinto is the neighbour
< Corrected: Prado. Pinto is the neighbour.
@ 2025-04-25 16:40
> Red carnations everywhere. Our first holiday here.
< Happy Freedom Day.
@ 2025-05-09 19:15
> [piano] I bought a second-hand piano. I have not played for 20 years.
< What will be the first piece?
> Something slow.
@ 2025-05-17 10:20
> [piano] I practise every morning for 15 minutes, after the walk.
< Walk, then piano: two small habits in a row.
@ 2025-06-02 08:40
> [health] My A1C was 6.6% at the new doctor's.
< 7.4, 7.0, 6.6: one step from the goal of 6.5.
> So close.
@ 2025-06-13 23:30
> Sardines, music, the whole street dances. Rex hid under the table.
< Santo António is not a holiday for dogs.
! end went to bed
@ 2025-06-21 13:05
> [work] More than half of the tiles are done, and October comes closer.
< At this pace you finish in the last week of September.
@ 2025-07-12 06:20
> [family] Inês had her baby! A girl, her name is Clara.
< Welcome, Clara! You said July, and July it was.
> I am going to Porto for a week.
@ 2025-07-20 20:45
> [family] Clara sleeps on my arm. I did not move for two hours.
< There are worse reasons for a stiff arm.
@ 2025-08-03 11:15
> We are in the Azores, on São Miguel. No laptop.
< Then I will be quiet.
@ 2025-08-19 18:50
> Back. We swam in a warm sea inside a crater.
< Two weeks of silence well spent.
@ 2025-08-20 08:15
> Which tile had the blue horse on it?
< Number 1,204, the panel from Coimbra. You described it in June.
> No, I meant the green one. Plan the trip to Coimbra by train.
< By train it takes two hours and ten minutes from Oriente.
! fork Which tile had the blue horse
> It was the green horse, number 877.
< Then it is from Évora, from the year 1741.
@ 2025-09-08 08:05
> [health] A1C reached 6.4%. The doctor shook my hand.
< Below 6.5 %, in eight months of walks. Well done.
! pin A1C reached
@ 2025-09-22 17:00
> [work] The museum in Lisbon has offered me a post, and I said yes. I now work at the National Tile Museum.
< From the collection to the museum of all tiles. Congratulations!
! context # Ana / Lives in Lisbon, with Tomás and Rex. / Works at the National Tile Museum since autumn. / A1C 6.4 % in September, below the goal of 6.5 %. / The catalogue of 3,200 tiles is due on October 15. / Her niece Clara was born in July. / Plays the piano every morning.
@ 2025-10-05 10:30
> [books] Eighteen books so far. I am two behind.
< Winter evenings are long.
@ 2025-10-14 23:50
> [work] We published the catalogue tonight, one day early.
< 3,214 tiles, one day early! Rex should get something too.
> He got a sausage.
@ 2025-11-01 15:20
> [piano] I played the slow piece for Tomás without a mistake. My favourite composer is Satie.
< Gymnopédie No. 1, nine months after... six months after the piano came.
@ 2025-11-23 12:10
> [family] Clara said something like a word. It may have been "tram".
< She knows where she is.
@ 2025-12-08 19:35
> Rex walked past a tram today and did not bark. I cried a little.
< Eleven months. That is worth a little crying.
@ 2025-12-24 18:00
> [family] Everyone is here. I read my old notebook aloud.
< The quince jam and the loud song. Merry Christmas, Ana.
@ 2025-12-31 22:15
> What a year. What should I remember of it?
< A move, a dog, a niece, 3,214 tiles, one slow piece, and 6.4 %.

== tile-catalogue: The museum's project, with a coding assistant
@ 2025-02-05 14:00
> We start the catalogue. Each tile gets a photograph, a place, a year and a story.
< I suggest one record per tile and one table for panels, which are made of many tiles.
> [decision] We decided to number tiles by the old paper cards.
@ 2025-02-12 15:30
> My import script stops at card 412.
< Line 412 has a semicolon inside quotes. A real CSV reader will take it.
> That was it.
@ 2025-03-05 11:00
> [decision] The budget is 18,000 euros.
< 18,000 euros, of which 6,000 for photographs.
@ 2025-03-19 16:45
> The photographer can do 150 tiles a day.
< Then all of them take 22 days.
@ 2025-04-30 10:00
> [bug] Dates before 1582 are shown ten days too late.
< They are converted to the new calendar. Keep them as they are written on the tile.
> [decision] We show the date as written, and only sort by the year.
@ 2025-05-28 14:20
> The search finds "azulejo" but not "azulejos".
< Stemming for Portuguese is missing; I add it to the index.
@ 2025-06-20 17:10
> 1,900 of 3,200 tiles are in.
< That is 59 percent, with 117 days to go.
@ 2025-07-02 09:30
> [decision] The budget is 21,500 euros, after the new offer for printing.
< 3,500 euros more than in March.
@ 2025-09-01 10:15
> We need an English version before the opening.
< The stories are about 400,000 words. I propose the hundred most visited first.
@ 2025-09-26 16:00
> All tiles are in. Now we check.
< I compare every number with the paper cards tonight.
@ 2025-09-27 08:40
> What did the comparison find?
< Fourteen tiles that are on no card. They were bought in 1962 and never numbered.
> So it is 3,214.
@ 2025-10-14 21:30
> [decision] Publish.
< Published at 21:30.
! end published
@ 2025-11-12 11:20
> A visitor from Delft found that tile 877 is one of theirs.
< The maker's mark agrees. Shall I change its place to Delft?
> Yes, and thank her.

== reading-group: Six people, one book a month
@ 2025-01-30 19:00
> [books] We begin with Blindness by Saramago. Six people came.
< Six voices, one book. Next meeting?
> The last Thursday of every month.
@ 2025-02-27 21:30
> Nobody agreed about the ending.
@ 2025-03-27 21:20
> [books] The Book of Disquiet. Two people gave up, four loved it.
@ 2025-05-29 21:45
> [books] The Mermaid and Mrs Hancock, for something lighter.
@ 2025-06-26 21:10
> Reading on the terrace from now on.
@ 2025-09-25 21:00
> [books] Small Things Like These. Everyone finished it, for once.
< It has 116 pages.
@ 2025-11-27 21:30
> We vote by paper from now on. Eight people came.
